// Runs the session in its own thread, so that drawing never waits for a step.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "sim/machine/background.h"
#include "sim/session/session.h"

namespace stencil {

class Engine {
  public:
    /// Starts making the session at once. `on_news` is called on the engine's thread after each new snapshot.
    Engine(const RunSpec& asked, const SessionOptions& options, std::function<void()> on_news);

    /// Ends after the present slice and pending exports; an initial condition being made is abandoned.
    ~Engine() = default;
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    /// Queues actions, which are applied in order before the next slice.
    void send(std::vector<Action> actions);
    /// Sets what frames show; the newest request counts.
    void see(const ViewRequest& request);
    /// Reports that this frame of the snapshot was displayed.
    void frame_taken(std::uint64_t count);

    /// Returns the newest snapshot; null until the session exists.
    std::shared_ptr<const Snapshot> snapshot() const;
    /// Whether the newest snapshot shows the result of all actions.
    bool is_up_to_date() const;
    /// Throws the exception that kept the session from being made, if there is one.
    void check() const;

  private:
    // Data that the window's and the engine's threads share.
    struct Exchange {
        // Messages since the last slice.
        std::vector<Action> actions = {};
        std::optional<ViewRequest> view = {};
        std::optional<std::uint64_t> taken = {};

        bool acting = false;  ///< actions were taken, and the snapshot with their result is not published yet
        std::shared_ptr<const Snapshot> snapshot = {};
        std::exception_ptr failure = {};

        bool has_messages() const { return !actions.empty() || view || taken; }
    };

    void run(const RunSpec& asked, const SessionOptions& options, const std::stop_token& stop);
    void serve(Session& session, const std::stop_token& stop);
    bool is_cut(const std::stop_token& stop);
    void publish(std::shared_ptr<const Snapshot> snapshot, bool has_acted = false);

    std::function<void()> on_news_;
    Shared<Exchange> shared_;
    Session* session_ = nullptr;  ///< null until it is made; used only by the engine's thread
    std::jthread thread_;         ///< last, because the thread uses the members above
};

}  // namespace stencil
