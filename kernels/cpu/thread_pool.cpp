#include "kernels/cpu/thread_pool.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace stencil {
namespace {

// About the time between two passes over a small field. Spinning longer would waste a core that others could
// use.
constexpr int kSpins = 4000;

// Waits until `value` differs from `old`: spins first, then blocks.
void await_change(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
    for (int i = 0; i < kSpins; ++i) {
        if (value.load(std::memory_order_acquire) != old) return;
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    while (value.load(std::memory_order_acquire) == old) value.wait(old, std::memory_order_acquire);
}

}  // namespace

ThreadPool::ThreadPool(int threads)
    : ThreadPool(threads, [](std::function<void()> body) { return std::thread(std::move(body)); }) {}

ThreadPool::ThreadPool(int threads, const StartThread& start) {
    workers_.reserve(std::size_t(threads));
    try {
        for (int i = 1; i < threads; ++i) workers_.push_back(start([this, i] { work(i); }));
    } catch (const std::system_error&) {
        // Continue with the threads that were started.
    }
}

ThreadPool::~ThreadPool() {
    stop_.store(true, std::memory_order_relaxed);
    generation_.fetch_add(1, std::memory_order_release);
    generation_.notify_all();
    for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run(const std::function<void(int)>& task) {
    if (workers_.empty()) {
        task(0);
        return;
    }
    task_ = &task;
    running_.store(std::uint32_t(workers_.size()), std::memory_order_relaxed);
    generation_.fetch_add(1, std::memory_order_release);
    generation_.notify_all();
    call(0);
    for (std::uint32_t left = running_.load(std::memory_order_acquire); left != 0;
         left = running_.load(std::memory_order_acquire))
        await_change(running_, left);
    if (failed_.exchange(false, std::memory_order_relaxed))
        std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadPool::call(int index) {
    try {
        (*task_)(index);
    } catch (...) {
        if (!failed_.exchange(true, std::memory_order_relaxed)) failure_ = std::current_exception();
    }
}

void ThreadPool::for_ranges(std::int64_t count,
                            const std::function<void(std::int64_t, std::int64_t)>& task,
                            std::int64_t least) {
    const std::int64_t parts = std::min<std::int64_t>(size(), count / std::max<std::int64_t>(1, least));
    if (parts <= 1) {
        if (count > 0) task(0, count);
        return;
    }
    run([&](int i) {
        if (i < parts) task(count * i / parts, count * (i + 1) / parts);
    });
}

void ThreadPool::work(int index) {
    std::uint32_t seen = 0;
    while (true) {
        await_change(generation_, seen);
        ++seen;
        if (stop_.load(std::memory_order_relaxed)) return;
        call(index);
        if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) running_.notify_one();
    }
}

}  // namespace stencil
