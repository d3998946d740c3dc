// Watches the tiles of a sweep as a window does, by random actions, and writes their files, which
// scripts/soak compares with those of the command. Prints a run's number and the field_hash of the run opened
// from its tile.
//   soak_tiles SPEC FOLDER SEED
#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>

#include "sim/field/field_hash.h"
#include "sim/files/input_file.h"
#include "sim/session/session.h"

namespace {

using namespace stencil;

SessionOptions standing() {
    SessionOptions options;
    options.running = options.measure_limits = false;
    return options;
}

struct Watcher {
    Watcher(SweepSpec sweep, unsigned seed)
        : session(sweep.base, standing()), dice(seed), end(sweep.base.steps) {
        sweep.base.steps = below(2) == 0 ? 0 : below(end + 1);
        act(action::ShowSweep{std::make_shared<const SweepSpec>(sweep)});
        look();
    }

    long long below(long long most) { return std::uniform_int_distribution<long long>(0, most - 1)(dice); }

    void act(const Action& action) {
        session.apply(action);
        const auto snapshot = session.snapshot();
        if (!snapshot->messages.empty() && snapshot->messages.back().level == Message::Level::error)
            throw std::runtime_error(snapshot->messages.back().text);
    }
    /// Looks at a part of the tiles, at any size.
    void look() {
        const Size size = session.snapshot()->tiles->size();
        const double x = double(below(size.nx)), y = double(below(size.ny));
        ViewRequest view;
        view.serial = ++serial;
        view.panes = {{Pane::mosaic,
                       {{x, y, x + 1 + double(below(size.nx)), y + 1 + double(below(size.ny))},
                        int(1 + below(200)),
                        int(1 + below(200)),
                        below(2) == 0}}};
        session.set_view(view);
    }
    void turn() {
        session.work();
        if (const auto frame = session.snapshot()->frame) session.frame_taken(frame->count);
    }
    void settle() {
        if (session.snapshot()->running) act(action::Run{false});
        while (session.busy()) turn();
    }
    void color() {
        SweepSpec next = *session.snapshot()->tiles->sweep;
        const std::string maps[]{"", "wavelength", "growth", fmt::format("mean({})", next.base.shown())};
        next.map = maps[below(4)];
        act(action::ShowSweep{std::make_shared<const SweepSpec>(next)});
    }
    void act_at_random() {
        switch (below(8)) {
            case 0:
                return look();
            case 1:
                return act(action::Jump{below(end + 1)});
            case 2:
                return act(action::Step{below(4)});
            case 3:
                return act(action::Pace{below(4), 1 + double(below(12))});
            case 4:
                return color();
            case 5:
                return act(action::Reset{});
            case 6:
                return settle();
            default:
                act(action::Run{true});
                for (long long turns = below(6); turns > 0; --turns) turn();
                if (below(2) == 0) act(action::Run{false});
        }
    }

    Session session;
    std::minstd_rand dice;
    long long end;
    std::uint64_t serial = 0;
};

void watch(const std::string& spec, const std::string& folder, unsigned seed) {
    const SweepSpec sweep = sweep_from_json(InputFile(spec).read_text(), spec);
    Watcher watcher(sweep, seed);
    for (long long actions = watcher.below(20); actions > 0; --actions) watcher.act_at_random();
    watcher.act(action::ShowSweep{[&] {
        SweepSpec next = *watcher.session.snapshot()->tiles->sweep;
        next.map = sweep.map;
        return std::make_shared<const SweepSpec>(std::move(next));
    }()});
    watcher.act(action::Jump{watcher.end});
    watcher.settle();
    watcher.act(action::ExportSweep{folder});
    const auto run = std::size_t(watcher.below(static_cast<long long>(sweep.count())));
    if (watcher.session.snapshot()->tiles->failed(run)) return;
    watcher.act(action::OpenTile{run});
    fmt::print("{} {}\n", run, field_hash(watcher.session.simulation().solver().state().components));
}

}  // namespace

int main(int count, char** words) {
    if (count != 4) return 2;
    try {
        watch(words[1], words[2], unsigned(std::strtoul(words[3], nullptr, 10)));
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
}
