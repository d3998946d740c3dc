// A file with a kernel, watched: tried anew whenever it is saved, on a thread of its own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

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

/// All functions return at once; a trial in progress ends with it.
class KernelWatch {
  public:
    /// `on_news` is called on another thread.
    explicit KernelWatch(std::function<void()> on_news, std::string program = "");
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

    void serve(const std::stop_token& stop);
    void look(const Order& order, const std::stop_token& stop);
    void try_file(const Order& order, const std::function<bool()>& is_stale);
    TrialRequest request_for(const Order& order) const;
    void publish(const std::function<void(KernelNews&)>& change);

    std::function<void()> on_news_;
    std::string program_;
    mutable std::mutex mutex_;
    std::condition_variable_any wake_;
    Order order_;  // guarded by mutex_, as is the next
    KernelNews news_;
    /// The order that was tried last, and the file as it was then.
    std::pair<std::uint64_t, std::filesystem::file_time_type> tried_;
    std::jthread thread_;  ///< last
};

/// A kernel to start from, as a new file of the working folder; where there is one of that name, that one.
/// Throws MachineError where it cannot be written.
std::string start_file(const std::string& name);

}  // namespace stencil::user_kernel
