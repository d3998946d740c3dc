#include "sim/run/batch.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>

#include "sim/machine/machine.h"
#include "sim/run/gpu_batches.h"
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
                                        ThreadPool& threads,
                                        const std::function<void(std::size_t)>& work) {
    std::vector<std::string> failures(count);
    std::atomic<std::size_t> next{0};
    const auto work_on = [&](int) {
        for (std::size_t i = next++; i < count; i = next++) try {
                work(i);
            } catch (const InputError& error) {
                failures[i] = error.in_sentence();
            } catch (const std::bad_alloc&) {
                failures[i] = "out of memory";
            } catch (const std::exception& error) {
                failures[i] = error.what();
            }
    };
    if (count > 1)
        threads.run(work_on);
    else
        work_on(0);
    return failures;
}

Batch::Batch(std::vector<Simulation*> runs, const BatchPlace& place)
    : runs_(std::move(runs)), place_(place) {}

std::vector<std::string> Batch::advance(std::span<const Advance> each) {
    const bool together =
        std::ranges::all_of(runs_, [](const Simulation* run) { return is_one_thread(*run); });
    if (together && place_.gpu) return advance_on_gpu(each);
    ThreadPool one(1);
    return for_each_apart(
        runs_.size(), together ? place_.threads : one, [&](std::size_t i) { runs_[i]->apply(each[i]); });
}

// Each run is brought to its next stretch of steps that the GPU can make, and then all make theirs together.
std::vector<std::string> Batch::advance_on_gpu(std::span<const Advance> each) {
    std::vector<std::string> failures(runs_.size());
    std::vector<Simulation::Stretch> next(runs_.size());
    std::vector<Simulation::Goal> goals;
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
        goals.push_back(runs_[i]->goal_of(each[i]));
        left.push_back(i);
    }
    // Calls work(i, place) for each run i that is left, and drops those that have no further stretch.
    const auto for_left = [&](const std::function<void(std::size_t, std::size_t)>& work) {
        const auto failed =
            for_each_apart(left.size(), place_.threads, [&](std::size_t place) { work(left[place], place); });
        std::vector<std::size_t> still;
        for (std::size_t i = 0; i < left.size(); ++i) {
            failures[left[i]] = failed[i];
            if (failed[i].empty() && next[left[i]].steps > 0) still.push_back(left[i]);
        }
        left = std::move(still);
    };
    while (!left.empty()) {
        for_left([&](std::size_t i, std::size_t) {
            Simulation& run = *runs_[i];
            while (const auto stretch = run.next_stretch(goals[i])) {
                next[i] = *stretch;
                const bool takes = !stretch->tolerance && place_.gpu->why_not(run.solver()).empty();
                if (takes && stretch->steps > 0) return;
                run.make(*stretch);
            }
            next[i].steps = 0;
        });
        if (left.empty()) break;
        std::vector<GpuBatches::Steps> steps;
        for (const std::size_t i : left) steps.push_back({&runs_[i]->solver(), next[i].steps});
        place_.gpu->advance(steps, place_.threads.size());
        for_left([&](std::size_t i, std::size_t place) {
            if (!steps[place].why_not.empty()) throw MachineError(steps[place].why_not);
            runs_[i]->made(next[i], steps[place].seconds);
        });
    }
    return failures;
}

}  // namespace stencil
