#include "sim/run/batch.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>

#include "kernels/cpu/thread_pool.h"
#include "sim/machine/machine.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

// Whether other runs may be stepped beside it.
bool is_one_thread(const Simulation& run) {
    return run.now().threads == 1 && method_of(run.now())->device == Device::cpu;
}

}  // namespace

int batch_threads(int asked, int processors, std::size_t runs) {
    return int(std::clamp(
        std::size_t(thread_count(asked, processors)), std::size_t(1), std::max<std::size_t>(runs, 1)));
}

std::vector<std::string> for_each_apart(std::size_t count,
                                        int threads,
                                        const std::function<void(std::size_t)>& work) {
    std::vector<std::string> failures(count);
    std::atomic<std::size_t> next{0};
    ThreadPool(std::min<int>(threads, int(std::max<std::size_t>(count, 1)))).run([&](int) {
        for (std::size_t i = next++; i < count; i = next++) try {
                work(i);
            } catch (const InputError& error) {
                failures[i] = error.in_sentence();
            } catch (const std::bad_alloc&) {
                failures[i] = "out of memory";
            } catch (const std::exception& error) {
                failures[i] = error.what();
            }
    });
    return failures;
}

Batch::Batch(std::vector<Simulation*> runs, const BatchPlace& place)
    : runs_(std::move(runs)), threads_(place.threads) {}

std::vector<std::string> Batch::advance(std::span<const Advance> each) {
    const bool together =
        std::ranges::all_of(runs_, [](const Simulation* run) { return is_one_thread(*run); });
    return for_each_apart(
        runs_.size(), together ? threads_ : 1, [&](std::size_t i) { runs_[i]->apply(each[i]); });
}

}  // namespace stencil
