// An example on a thread of its own: whoever draws never waits for it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "sim/examples/context.h"
#include "sim/machine/background.h"

namespace stencil {

/// The state of the newest example; default values before the first.
struct ExampleNews {
    std::uint64_t version = 0;  ///< changes with everything but the seconds
    std::string example;        ///< its name; empty: none was started
    bool running = false;
    bool cancelling = false;  ///< cancelled, but still running
    double share = 0;         ///< done, 0 to 1
    std::string doing;
    double seconds = 0;                    ///< since its start, or all that it took
    std::shared_ptr<const Report> report;  ///< the newest; null before its first row, or if that failed
    std::string failure;  ///< why it ended, where it failed; may have lines that belong together

    bool saving = false;
    std::string saved;     ///< how the newest saving ended: what was written where, or why not
    std::string saved_to;  ///< the folder, a new one where the one asked for holds a report; empty: none
    bool save_failed = false;
};

/// One example at a time. All functions return at once, and belong to one thread. The destructor ends an
/// example that runs, and waits for that and for what is being saved.
class ExampleRunner {
  public:
    /// `on_news` is called on other threads, after anything has changed.
    explicit ExampleRunner(std::function<void()> on_news = {}) : on_news_(std::move(on_news)) {}

    /// Starts the example, releases the previous report, and at the end writes the files of --out if the
    /// request has a folder. Returns false, without any effect, while an example runs. The example's row must
    /// outlive the runner. `remark` is as in remark().
    bool start(ExampleRequest request, std::shared_ptr<const Machine> machine, std::string remark = {});
    void cancel();

    /// Adds a note to the reports of the running example.
    void remark(std::string note);

    /// Writes the newest report's files, as `stencilscope example --out FOLDER` does. Returns false, without
    /// any effect, while an example runs or is saved, and without a report.
    bool save(std::filesystem::path folder);

    ExampleNews news() const;

  private:
    using Clock = std::chrono::steady_clock;
    struct State {
        ExampleNews news;
        std::string remark;  ///< for every report of the example that runs
        Clock::time_point begun;
    };

    void run(const ExampleRequest& request, const Machine& machine, const std::stop_token& stop);
    std::shared_ptr<const Report> with_remark(const Report& report) const;
    void write(const Report& report, const std::filesystem::path& folder);
    void change(const std::function<void(ExampleNews&)>& apply);

    std::function<void()> on_news_;
    Shared<State> state_;
    Background<bool> work_, saver_;
};

}  // namespace stencil
