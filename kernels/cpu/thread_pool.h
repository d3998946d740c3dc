// A fixed team of threads that run one task together, again and again.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace stencil {

/// Starting a task costs a few microseconds: the team waits briefly in a loop before it sleeps, because the
/// next pass over a field usually follows at once.
class ThreadPool {
  public:
    /// `threads` >= 1, the calling thread included; fewer where the system allows no more (a limit of the
    /// user's or of a container's processes).
    explicit ThreadPool(int threads);
    /// With another way to start a thread than std::thread's, which throws std::system_error.
    using StartThread = std::function<std::thread(std::function<void()>)>;
    ThreadPool(int threads, const StartThread& start);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int size() const { return int(workers_.size()) + 1; }

    /// Runs task(i) for i in [0, size()), one a thread, task(0) on the caller; returns when all have
    /// returned. Where tasks throw, one of their exceptions then comes to the caller. One caller at a time.
    void run(const std::function<void(int)>& task);

    /// Runs task(begin, end) over [0, count) cut into at most size() even ranges, none of them empty and,
    /// where there are several, none shorter than `least`: what is not worth waking others for runs on the
    /// caller.
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
    std::exception_ptr failure_;  ///< of the first task that threw
};

}  // namespace stencil
