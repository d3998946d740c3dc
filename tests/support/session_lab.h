// Sessions without a window or a thread: a test takes the display's place.
#pragma once

#include "sim/session/session.h"
#include "tests/support/catch.h"
#include "tests/support/runs.h"

namespace stencil_test {

/// A session that stands still and does not measure the machine.
inline stencil::SessionOptions standing() {
    stencil::SessionOptions options;
    options.running = options.measure_limits = false;
    return options;
}

inline stencil::SessionOptions running() {
    stencil::SessionOptions options = standing();
    options.running = true;
    return options;
}

/// One pixel a cell.
inline stencil::ViewRequest view_of(const std::vector<stencil::Pane>& panes, stencil::Size size) {
    static std::uint64_t serial = 0;
    stencil::ViewRequest view;
    view.serial = ++serial;
    for (const stencil::Pane pane : panes)
        view.panes.push_back({pane, {{0, 0, double(size.nx), double(size.ny)}, size.nx, size.ny, false}});
    return view;
}

/// An iteration of a display that takes every frame.
inline void turn(stencil::Session& session) {
    session.work();
    if (const auto frame = session.snapshot()->frame) session.frame_taken(frame->count);
}

/// Works until the session is idle.
inline void settle(stencil::Session& session) {
    for (int i = 0; session.busy(); ++i) {
        REQUIRE(i < 100000);
        turn(session);
    }
}

inline void perform(stencil::Session& session, const stencil::Action& action) {
    session.apply(action);
    settle(session);
}

inline std::string newest_message(stencil::Session& session) {
    const auto snapshot = session.snapshot();
    return snapshot->messages.empty() ? "" : snapshot->messages.back().text;
}

inline stencil::BrushPiece dab(double x, double y) {
    stencil::BrushPiece piece;
    piece.brush = {0.75, 5, false, false};
    piece.x0 = piece.x1 = x;
    piece.y0 = piece.y1 = y;
    return piece;
}

inline stencil::RunSpec small_run(const std::string& method = "auto") {
    return noise_run({61, 43}, method);
}
/// The whole field of small_run().
inline stencil::ViewRequest small_view_of(stencil::Pane pane) {
    return view_of({pane}, {61, 43});
}

/// Waits for the thread that writes files.
inline void finish_export(stencil::Session& session) {
    while (session.snapshot()->exporting) {
        session.work();
        std::this_thread::yield();
    }
}

inline std::vector<float> cells(stencil::Session& session) {
    const stencil::Field field = session.simulation().field().to(stencil::DType::float32);
    const auto all = field.as<float>().cells();
    return {all.begin(), all.end()};
}

inline stencil::BrushPiece joined_dab(double x, double y) {
    stencil::BrushPiece piece = dab(x, y);
    piece.x1 += 8;
    piece.joined = true;
    return piece;
}

struct SessionLab {
    explicit SessionLab(const stencil::RunSpec& spec, const stencil::SessionOptions& options = standing())
        : session(spec, options) {}

    void see(const std::vector<stencil::Pane>& panes) {
        session.set_view(view_of(panes, *run().size));
        settle(session);
    }
    void act(const stencil::Action& action) { perform(session, action); }
    void set(const std::string& setting, const std::string& value) {
        act(stencil::action::Change{setting, value});
    }
    std::shared_ptr<const stencil::Snapshot> now() { return session.snapshot(); }
    const stencil::RunSpec& run() { return session.simulation().now(); }
    std::string message() { return newest_message(session); }
    std::vector<double> cells(const std::string& component) {
        return cells_of(
            session.simulation().solver().state().components.at(component_index(*run().model, component)));
    }
    /// Returns the cells of all components.
    std::vector<double> cells() {
        std::vector<double> all;
        for (const stencil::Field& field : session.simulation().solver().state().components)
            for (const double cell : cells_of(field)) all.push_back(cell);
        return all;
    }

    stencil::Session session;
};

}  // namespace stencil_test
