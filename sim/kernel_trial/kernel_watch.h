// Watches a kernel's file and, in a thread, tries it again whenever it is saved.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "sim/kernel_trial/trial.h"
#include "sim/machine/background.h"
#include "sim/user_kernel/user_kernel.h"

namespace stencil::user_kernel {

struct KernelNews {
    std::uint64_t version = 0;          ///< changes with the content
    std::string file;                   ///< the watched file; empty: none
    std::string doing;                  ///< stage of the trial in progress; empty: none
    std::string failure;                ///< why there was no trial: no file, no compiler
    std::optional<TrialReport> report;  ///< of the newest trial
    std::string text;                   ///< that was tried
    /// The kernel of the newest file that passed; null before, and without a GPU.
    std::shared_ptr<const UserKernel> kernel;
};

/// All functions return at once. The destructor ends a trial in progress.
class KernelWatch {
  public:
    /// `on_news` is called on another thread.
    explicit KernelWatch(std::function<void()> on_news, std::string program = "");
    /// Watches this file. Its kernel is compiled for runs like `run` and timed at that run's size. Does
    /// nothing if both are unchanged.
    void watch(const std::string& file, const RunSpec& run);
    KernelNews news() const {
        return shared_.read([](const Exchange& all) { return all.news; });
    }

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
    struct Exchange {
        Order order;
        KernelNews news;
    };
    Shared<Exchange> shared_;
    /// The number of the order tried last, and the file's time stamp then.
    std::pair<std::uint64_t, std::filesystem::file_time_type> tried_;
    std::jthread thread_;  ///< last, because the thread uses the members above
};

/// Copies a rung of the ladder or a lesson's kernel into the working folder, unless that exists. Throws
/// MachineError on failure.
std::string start_file(const std::string& name);

}  // namespace stencil::user_kernel
