// Background work: Background runs one piece of work on a thread, Shared is a value that threads share.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

namespace stencil {

/// Runs one piece of work at a time on a thread. All functions are called by one thread. The destructor
/// cancels the work and waits for its end.
template <class T>
class Background {
  public:
    /// `on_end` is called on the work's thread when poll() has a result.
    explicit Background(std::function<void()> on_end = {}) : on_end_(std::move(on_end)) {}

    /// Starts `work(stop_token)`. Cancels earlier work, waits for its end and drops its result. If the system
    /// has no free thread, the caller's thread does the work.
    template <class F>
    void start(F work) {
        thread_ = {};
        task_ = std::make_unique<Task>(std::move(work));
        result_ = task_->get_future();
        const auto run = [task = task_.get(), on_end = on_end_](const std::stop_token& stop) {
            (*task)(stop);
            if (on_end) on_end();
        };
        try {
            thread_ = std::jthread(run);
        } catch (const std::system_error&) {
            run({});
        }
    }

    /// Whether there is work whose result was not taken.
    bool busy() const { return result_.valid(); }
    /// Waits at most `limit`; returns whether no work is running.
    bool wait_for(std::chrono::milliseconds limit) const {
        return !busy() || result_.wait_for(limit) == std::future_status::ready;
    }
    bool running() const { return !wait_for({}); }

    /// Returns the result of finished work, once. Rethrows the exception of the work.
    std::optional<T> poll() { return busy() && !running() ? std::optional<T>(get()) : std::nullopt; }
    /// Waits for the result and returns it.
    T get() {
        result_.wait();
        thread_ = {};
        const auto task = std::move(task_);
        return result_.get();
    }

    /// Asks the work to end, through its stop token.
    void cancel() { thread_.request_stop(); }

  private:
    using Task = std::packaged_task<T(const std::stop_token&)>;

    std::function<void()> on_end_;
    // Only the caller's thread destroys the task, and with it an exception of the work: ThreadSanitizer does
    // not see the standard library's reference count of an exception.
    std::unique_ptr<Task> task_;
    std::future<T> result_;
    std::jthread thread_;
};

/// A value that threads read and change; a change wakes the threads that wait for one.
template <class T>
class Shared {
  public:
    /// Returns apply(value).
    template <class F>
    decltype(auto) change(F&& apply) {
        const Notice notice{changed_};
        const std::lock_guard lock(mutex_);
        return apply(value_);
    }
    template <class F>
    decltype(auto) read(F&& apply) const {
        const std::lock_guard lock(mutex_);
        return apply(value_);
    }
    T read() const {
        const std::lock_guard lock(mutex_);
        return value_;
    }

    /// Waits until ready(value), a requested stop, or the end of `limit`; then returns take(value).
    template <class P, class F>
    decltype(auto) wait(const std::stop_token& stop, std::chrono::milliseconds limit, P&& ready, F&& take) {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, stop, limit, [&] { return ready(value_); });
        return take(value_);
    }

  private:
    // Wakes waiting threads after the mutex is free.
    struct Notice {
        std::condition_variable_any& changed;
        ~Notice() { changed.notify_all(); }
    };

    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    T value_{};
};

}  // namespace stencil
