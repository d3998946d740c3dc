// A fixed pool of threads for short, repeated tasks.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace stencil {

/// Starting a task costs a few microseconds: idle workers spin briefly before they block, because the next
/// pass over a field usually follows at once.
class ThreadPool {
  public:
    /// `threads` >= 1 counts the calling thread. The pool is smaller if the system refuses to start more
    /// threads (a limit on the processes of the user or container).
    explicit ThreadPool(int threads);
    /// Replaces std::thread's start, for tests; it may throw std::system_error.
    using StartThread = std::function<std::thread(std::function<void()>)>;
    ThreadPool(int threads, const StartThread& start);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int size() const { return int(workers_.size()) + 1; }

    /// Runs task(i) for each i in [0, size()), one per thread, task(0) on the caller, and returns when all
    /// have returned. If tasks throw, one of their exceptions is rethrown on the caller. One caller at a
    /// time.
    void run(const std::function<void(int)>& task);

    /// Runs task(begin, end) over [0, count), split into at most size() even, non-empty ranges of at least
    /// `least` elements each. Work too short for two ranges runs on the caller, without waking a worker.
    void for_ranges(std::int64_t count,
                    const std::function<void(std::int64_t, std::int64_t)>& task,
                    std::int64_t least = 1);

  private:
    void work(int index);
    void call(int index);

    std::vector<std::thread> workers_;
    const std::function<void(int)>* task_ = nullptr;
    std::atomic<std::uint32_t> generation_{0};
    std::atomic<std::uint32_t> running_{0};
    std::atomic<bool> stop_{false};
    std::atomic<bool> failed_{false};
    std::exception_ptr failure_;  ///< thrown by the first task that failed
};

}  // namespace stencil
