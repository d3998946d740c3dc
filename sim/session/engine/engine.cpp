#include "sim/session/engine/engine.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace stencil {
namespace {

// How often an idle engine checks for finished exports and the memory in use.
constexpr auto kIdle = std::chrono::milliseconds(250);

// Lowers this thread's priority, because steps use every processor and drawing needs one for a few
// milliseconds per frame. On Linux threads started later inherit it.
void step_aside() {
    constexpr int kNicer = 5;
    setpriority(PRIO_PROCESS, 0, kNicer);
}

}  // namespace

Engine::Engine(const RunSpec& asked, const SessionOptions& options, std::function<void()> on_news)
    : on_news_(std::move(on_news)), thread_([this, asked, options] { run(asked, options); }) {}

template <class F>
void Engine::put(F&& into) {
    {
        const std::lock_guard lock(mutex_);
        into(inbox_);
    }
    news_.notify_all();
}

Engine::~Engine() {
    put([this](Inbox&) { stop_ = true; });
    thread_.join();
}

void Engine::send(std::vector<Action> actions) {
    if (actions.empty()) return;
    put([&](Inbox& inbox) { std::ranges::move(actions, std::back_inserter(inbox.actions)); });
}

void Engine::see(const ViewRequest& request) {
    put([&](Inbox& inbox) { inbox.view = request; });
}

void Engine::frame_taken(std::uint64_t count) {
    put([&](Inbox& inbox) { inbox.taken = count; });
}

std::shared_ptr<const Snapshot> Engine::snapshot() const {
    const std::lock_guard lock(mutex_);
    return snapshot_;
}

bool Engine::is_up_to_date() const {
    const std::lock_guard lock(mutex_);
    return inbox_.actions.empty() && !acting_;
}

void Engine::check() const {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
}

void Engine::run(const RunSpec& asked, const SessionOptions& options) {
    step_aside();
    try {
        SessionOptions watched = options;
        watched.cut = [this] { return is_cut(); };
        Session session(asked, watched);
        session_ = &session;
        serve(session);
    } catch (...) {
        {
            const std::lock_guard lock(mutex_);
            failure_ = std::current_exception();
        }
        on_news_();
    }
}

// While a slow initial condition is made: publishes progress; true if the user stops it or leaves.
bool Engine::is_cut() {
    if (session_) publish(session_->snapshot());
    const std::lock_guard lock(mutex_);
    return stop_ || std::ranges::any_of(inbox_.actions, [](const Action& action) {
               const auto* run = std::get_if<action::Run>(&action);
               return (run && !run->on) || std::holds_alternative<action::Cancel>(action);
           });
}

void Engine::serve(Session& session) {
    publish(session.snapshot());
    Inbox inbox;
    while (wait_for_inbox(session.busy(), inbox)) {
        for (const Action& action : inbox.actions) session.apply(action);
        if (inbox.view) session.set_view(*inbox.view);
        if (inbox.taken) session.frame_taken(*inbox.taken);
        session.work();
        publish(session.snapshot(), true);
    }
}

// Returns false when the engine should end.
bool Engine::wait_for_inbox(bool busy, Inbox& inbox) {
    std::unique_lock lock(mutex_);
    if (!busy) news_.wait_for(lock, kIdle, [this] { return stop_ || !inbox_.empty(); });
    inbox = std::exchange(inbox_, {});
    acting_ = !inbox.actions.empty();
    return !stop_;
}

void Engine::publish(std::shared_ptr<const Snapshot> snapshot, bool has_acted) {
    {
        const std::lock_guard lock(mutex_);
        if (has_acted) acting_ = false;
        if (snapshot_ == snapshot) return;
        snapshot_ = std::move(snapshot);
    }
    on_news_();
}

}  // namespace stencil
