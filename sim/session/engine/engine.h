// Runs the session in its own thread, so that drawing never waits for a step.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "sim/session/session.h"

namespace stencil {

class Engine {
  public:
    /// Starts making the session at once. `on_news` is called on the engine's thread after each new snapshot.
    Engine(const RunSpec& asked, const SessionOptions& options, std::function<void()> on_news);

    /// Ends after the present slice and pending exports; an initial condition being made is abandoned.
    ~Engine();
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
    /// Whether the newest snapshot shows what became of all actions.
    bool is_up_to_date() const;
    /// Throws what kept the session from being made, if anything.
    void check() const;

  private:
    // Messages since the last slice.
    struct Inbox {
        std::vector<Action> actions;
        std::optional<ViewRequest> view;
        std::optional<std::uint64_t> taken;
        bool empty() const { return actions.empty() && !view && !taken; }
    };

    template <class F>
    void put(F&& into);
    void run(const RunSpec& asked, const SessionOptions& options);
    void serve(Session& session);
    bool is_cut();
    bool wait_for_inbox(bool busy, Inbox& inbox);
    void publish(std::shared_ptr<const Snapshot> snapshot, bool has_acted = false);

    std::function<void()> on_news_;
    mutable std::mutex mutex_;
    std::condition_variable news_;
    Inbox inbox_;
    bool acting_ = false;  ///< actions were taken whose snapshot is still to come
    bool stop_ = false;
    std::shared_ptr<const Snapshot> snapshot_;
    std::exception_ptr failure_;
    Session* session_ = nullptr;  ///< once it is made; used only by the engine's thread
    std::thread thread_;          ///< last, so that it starts after everything else exists
};

}  // namespace stencil
