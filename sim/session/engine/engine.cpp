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
    : on_news_(std::move(on_news)),
      thread_([this, asked, options](const std::stop_token& stop) { run(asked, options, stop); }) {}

void Engine::send(std::vector<Action> actions) {
    if (actions.empty()) return;
    shared_.change([&](Exchange& all) { std::ranges::move(actions, std::back_inserter(all.actions)); });
}

void Engine::see(const ViewRequest& request) {
    shared_.change([&](Exchange& all) { all.view = request; });
}

void Engine::frame_taken(std::uint64_t count) {
    shared_.change([&](Exchange& all) { all.taken = count; });
}

std::shared_ptr<const Snapshot> Engine::snapshot() const {
    return shared_.read([](const Exchange& all) { return all.snapshot; });
}

bool Engine::is_up_to_date() const {
    return shared_.read([](const Exchange& all) { return all.actions.empty() && !all.acting; });
}

void Engine::check() const {
    const auto failure = shared_.read([](const Exchange& all) { return all.failure; });
    if (failure) std::rethrow_exception(failure);
}

void Engine::run(const RunSpec& asked, const SessionOptions& options, const std::stop_token& stop) {
    step_aside();
    try {
        SessionOptions watched = options;
        watched.cut = [&] { return is_cut(stop); };
        Session session(asked, watched);
        session_ = &session;
        serve(session, stop);
    } catch (...) {
        shared_.change([](Exchange& all) { all.failure = std::current_exception(); });
        on_news_();
    }
}

// Called while a slow initial condition is made: publishes progress, and returns true if the user stops it or
// quits.
bool Engine::is_cut(const std::stop_token& stop) {
    if (session_) publish(session_->snapshot());
    return stop.stop_requested() || shared_.read([](const Exchange& all) {
        return std::ranges::any_of(all.actions, [](const Action& action) {
            const auto* run = std::get_if<action::Run>(&action);
            return (run && !run->on) || std::holds_alternative<action::Cancel>(action);
        });
    });
}

void Engine::serve(Session& session, const std::stop_token& stop) {
    publish(session.snapshot());
    while (true) {
        const Exchange news = shared_.wait(
            stop,
            session.busy() ? std::chrono::milliseconds(0) : kIdle,
            [](const Exchange& all) { return all.has_messages(); },
            [](Exchange& all) {
                Exchange taken{.actions = std::exchange(all.actions, {}),
                               .view = std::exchange(all.view, {}),
                               .taken = std::exchange(all.taken, {})};
                all.acting = !taken.actions.empty();
                return taken;
            });
        if (stop.stop_requested()) return;
        for (const Action& action : news.actions) session.apply(action);
        if (news.view) session.set_view(*news.view);
        if (news.taken) session.frame_taken(*news.taken);
        session.work();
        publish(session.snapshot(), true);
    }
}

void Engine::publish(std::shared_ptr<const Snapshot> snapshot, bool has_acted) {
    const bool is_new = shared_.change([&](Exchange& all) {
        if (has_acted) all.acting = false;
        return std::exchange(all.snapshot, snapshot) != snapshot;
    });
    if (is_new) on_news_();
}

}  // namespace stencil
