// An example on a thread of its own: whoever draws never waits for it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "sim/examples/context.h"

namespace stencil {

/// How far the newest example is; all of it is as before the first where none was started.
struct ExampleNews {
    std::uint64_t version = 0;  ///< another one where anything but the seconds has changed
    std::string example;        ///< its name; empty: none was started
    bool running = false;
    bool cancelling = false;  ///< told to end, and has not yet
    double share = 0;         ///< done, 0 to 1
    std::string doing;
    double seconds = 0;  ///< since its start, or all that it took
    std::shared_ptr<const Report>
        report;           ///< the newest; null before its first row, and where it failed before
    std::string failure;  ///< why it ended, where it failed; may have lines that belong together

    bool saving = false;
    std::string saved;     ///< how the newest saving ended: what was written where, or why not
    std::string saved_to;  ///< the folder, a new one where the one asked for holds a report; empty: none
    bool save_failed = false;
};

/// One example at a time. All functions return at once, and belong to one thread.
class ExampleRunner {
  public:
    /// `on_news` is called on other threads, after anything has changed.
    explicit ExampleRunner(std::function<void()> on_news = {});

    /// Ends an example that runs as soon as it can be ended, and waits for that; what was ordered to be saved
    /// is written.
    ~ExampleRunner();
    ExampleRunner(const ExampleRunner&) = delete;
    ExampleRunner& operator=(const ExampleRunner&) = delete;

    /// Where the request has a folder, the report's files are written there at the end, as the command does.
    /// Lets go of the report before it, which may hold memory. False, and nothing happens, where one still
    /// runs. The example's row must outlive the runner. The remark goes into the report as remark() has it.
    bool start(ExampleRequest request, std::shared_ptr<const Machine> machine, std::string remark = {});
    void cancel();

    /// Puts a note into the report of the example that runs: what is to be known about its results.
    void remark(std::string note);

    /// Writes the newest report's files, as `stencilscope example --out FOLDER` does. Only where nothing runs
    /// or is being saved, and there is a report; false otherwise.
    bool save(std::filesystem::path folder);

    ExampleNews news() const;

  private:
    using Clock = std::chrono::steady_clock;

    void run(const ExampleRequest& request, const Machine& machine);
    std::shared_ptr<const Report> with_remark(const Report& report) const;
    void publish(const Report& report);
    void finish(std::shared_ptr<const Report> report, std::string failure);
    void write(const Report& report, const std::filesystem::path& folder);
    void change(const std::function<void()>& apply);

    std::function<void()> on_news_;
    std::atomic<bool> cancelled_{false};
    mutable std::mutex mutex_;
    ExampleNews news_;          // the rest is guarded by mutex_ too
    std::string remark_;        ///< for every report of the example that runs
    Clock::time_point begun_;   ///< the example
    Clock::time_point copied_;  ///< the newest report
    std::jthread thread_, saver_;
};

}  // namespace stencil
