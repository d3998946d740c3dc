// A file with a kernel, watched: tried anew whenever it is saved, on a thread of its own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "sim/user_kernel/trial.h"
#include "sim/user_kernel/user_kernel.h"

namespace stencil::user_kernel {

struct KernelNews {
    std::uint64_t version = 0;          ///< another one where anything has changed
    std::string file;                   ///< that is watched; empty: none
    std::string doing;                  ///< of the trial in progress; empty: there is none
    std::string failure;                ///< why there was no trial: no such file, no compiler
    std::optional<TrialReport> report;  ///< the newest
    /// Of the newest file that was right; null before that, and without a GPU.
    std::shared_ptr<const UserKernel> kernel;
};

/// All functions return at once.
class KernelWatch {
  public:
    /// `on_news` is called on another thread.
    explicit KernelWatch(std::function<void()> on_news, std::string program = "");
    /// Ends a trial in progress.
    ~KernelWatch();
    KernelWatch(const KernelWatch&) = delete;
    KernelWatch& operator=(const KernelWatch&) = delete;

    /// From now on this file, for runs like this one, whose size it is timed on. Nothing happens where both
    /// are as before.
    void watch(const std::string& file, const RunSpec& run);
    KernelNews news() const;

  private:
    struct Order {
        std::string file;
        RunSpec run;
        std::uint64_t number = 0;
    };

    void serve();
    void look(const Order& order);
    void try_file(const Order& order);
    TrialRequest request_for(const Order& order) const;
    bool is_stale(const Order& order) const;
    template <class F>
    void publish(F&& change);

    std::function<void()> on_news_;
    std::string program_;
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    Order order_;  // guarded by mutex_, as are the next two
    KernelNews news_;
    bool stop_ = false;
    std::uint64_t tried_ = 0;  ///< the order that was tried last, and the file as it was then
    std::filesystem::file_time_type tried_at_{};
    std::thread thread_;  ///< last
};

/// A kernel to start from, as a new file of the working folder; where there is one of that name, that one.
/// Throws MachineError where it cannot be written.
std::string start_file(const std::string& name);

}  // namespace stencil::user_kernel
