// The session on a thread of its own: whoever draws never waits for a step.
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
    /// Begins to make the session at once. `on_news` is called on the engine's thread after a new snapshot.
    Engine(const RunSpec& asked, const SessionOptions& options, std::function<void()> on_news);

    /// Ends after the slice in work, and after an export that was ordered is written. A field that is being
    /// made is left.
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    /// In their order, before the next slice.
    void send(std::vector<Action> actions);
    /// The newest request counts.
    void see(const ViewRequest& request);
    /// The display has this frame of the snapshot.
    void frame_taken(std::uint64_t count);

    /// The newest; null until the session is made.
    std::shared_ptr<const Snapshot> snapshot() const;
    /// Throws what kept the session from being made, if anything did.
    void check() const;

  private:
    // What came in since the last slice.
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
    void publish(std::shared_ptr<const Snapshot> snapshot);

    std::function<void()> on_news_;
    mutable std::mutex mutex_;
    std::condition_variable news_;
    Inbox inbox_;
    bool stop_ = false;
    std::shared_ptr<const Snapshot> snapshot_;
    std::exception_ptr failure_;
    Session* session_ = nullptr;  ///< of the engine's thread alone, once it is made
    std::thread thread_;          ///< last, so that it starts when everything else is there
};

}  // namespace stencil
