// Other runs beside a session's: the tiles of a sweep, and run B.
#include <cmath>

#include "sim/files/atomic_file.h"
#include "sim/problem/ready_runs.h"
#include "sim/session/beside.h"
#include "sim/session/mosaic.h"
#include "sim/sweep/sweep_table.h"
#include "sim/text/json.h"
#include "tests/support/scratch.h"
#include "tests/support/session_lab.h"

namespace {

constexpr const char* kGrowing =
    "du/dt = D*lap(u) + F*u; D = 0.1 in [0, 1]; F = 0.01 in [0, 0.1]; boundary = periodic\n"
    "u(0) = 1 + 0.5*sin(2*pi*x/Lx); dt = 0.5; size = 24x18";

std::shared_ptr<const SweepSpec> sweep_beside(const RunSpec& base,
                                              const std::vector<std::string>& vary,
                                              const std::string& observed = "") {
    auto sweep = std::make_shared<SweepSpec>();
    sweep->base = base;
    static_cast<Ending&>(sweep->base) = {0};
    for (const std::string& one : vary) sweep->vary.push_back(parse_vary(one));
    if (!observed.empty()) sweep->observe = {observed};
    return sweep;
}

struct BesideLab : SessionLab {
    BesideLab() : SessionLab(run_of_text(kGrowing)) {
        session.apply(action::Pace{4, 12});
        see({Pane::now});
    }
    void sweep(const std::vector<std::string>& vary, const std::string& observed = "") {
        act(action::ShowSweep{sweep_beside(run_of_text(kGrowing), vary, observed)});
    }
    /// Looks at the tiles, at so many pixels a cell.
    void see_tiles(double pixels = 1) {
        const Size size = now()->tiles->size();
        ViewRequest view = view_of({Pane::mosaic}, size);
        view.panes[0].resample.width = int(std::lround(size.nx * pixels));
        view.panes[0].resample.height = int(std::lround(size.ny * pixels));
        session.set_view(view);
        settle(session);
    }
    /// Runs until the tiles have reached a step.
    void run_to(long long step) {
        session.apply(action::Run{true});
        for (int i = 0; now()->tiles->step < step; ++i) {
            REQUIRE(i < 10000);
            turn(session);
        }
        session.apply(action::Run{false});
        settle(session);
    }
};

std::vector<double> growing_alone(const std::string& parameter, double value, long long steps) {
    RunSpec spec = run_of_text(kGrowing);
    spec.set_parameter(parameter, value);
    Simulation run = begun(spec);
    run.apply(Advance{steps});
    return cells_of(run.field());
}

}  // namespace

TEST_CASE("The tiles of a sweep run to the same step with the bits of each run alone") {
    BesideLab lab;
    lab.sweep({"F=0:0.1:3", "D=0.1:0.2:2"});
    REQUIRE(lab.now()->tiles);
    lab.see_tiles();
    CHECK(lab.now()->tiles->begun == 6);
    lab.run_to(8);
    const auto tiles = lab.now()->tiles;
    const long long step = tiles->step;
    CHECK(step % 4 == 0);
    CHECK(lab.now()->step == 0);  // the run itself waits
    const PaneImage image = lab.now()->frame->panes.at(0);
    REQUIRE(image.pixels->width == 72);
    // Tile 1 of the first row, which is at the bottom, has F = 0.05.
    const auto expected = growing_alone("F", 0.05, step);
    for (int y = 0; y < 18; ++y)
        for (int x = 0; x < 24; ++x)
            REQUIRE(double(image.pixels->host[std::size_t((18 + y) * 72 + 24 + x)]) ==
                    expected[std::size_t(y * 24 + x)]);
    CHECK(tiles->text(1) == "F=0.05, D=0.1: running");
}

TEST_CASE("A tile is opened in place of the run, and undo brings the run back") {
    BesideLab lab;
    lab.act(action::Step{3});
    const auto before = lab.cells();
    lab.sweep({"F=0:0.1:3"});
    lab.see_tiles();
    lab.run_to(12);
    const long long step = lab.now()->tiles->step;
    lab.act(action::OpenTile{2});
    CHECK(lab.now()->step == step);
    CHECK(lab.run().parameter("F") == 0.1);
    CHECK(lab.cells() == growing_alone("F", 0.1, step));
    CHECK(lab.run().threads == 2);
    lab.see({Pane::now});
    lab.act(action::Step{5});
    CHECK(lab.cells() == growing_alone("F", 0.1, step + 5));
    // The record of the opened run repeats it.
    RunSpec record = spec_from_json(to_json(lab.now()->spec).dump(), "record");
    Simulation again = begun(record);
    again.apply(Advance{record.steps});
    CHECK(cells_of(again.field()) == lab.cells());
    lab.act(action::Undo{});
    CHECK(lab.cells() == before);
    CHECK(lab.now()->tiles->step == step);
    lab.act(action::Undo{});
    CHECK(!lab.now()->tiles);
    lab.act(action::Redo{});
    CHECK(lab.now()->tiles->count() == 3);
}

TEST_CASE("While tiles are watched, orders of steps are theirs, and an earlier step has the same bits") {
    BesideLab lab;
    lab.act(action::Step{5});
    lab.act(action::Jump{2});
    REQUIRE(lab.now()->end_step == 5);
    lab.sweep({"F=0:0.1:3"});
    lab.see_tiles();
    const auto tile = [&](std::size_t run) {
        const auto& host = lab.now()->frame->panes.at(0).pixels->host;
        std::vector<double> cells;
        for (std::size_t y = 0; y < 18; ++y)
            for (std::size_t x = 0; x < 24; ++x) cells.push_back(double(host[y * 72 + run * 24 + x]));
        return cells;
    };
    const auto require_step = [&](long long step, long long furthest) {
        CHECK(lab.now()->tiles->step == step);
        CHECK(lab.now()->tiles->furthest == furthest);
        CHECK(lab.now()->frame->step == step);
        CHECK(tile(1) == growing_alone("F", 0.05, step));
        CHECK(!lab.now()->running);
    };
    lab.session.apply(action::Run{true});
    for (int i = 0; i < 5; ++i) turn(lab.session);
    lab.act(action::Jump{30});
    require_step(30, 30);
    lab.act(action::Step{3});
    require_step(33, 33);
    lab.act(action::Jump{7});
    require_step(7, 33);
    lab.act(action::Step{1});
    require_step(8, 33);
    // An order that is stopped ends where the tiles are.
    lab.session.apply(action::Jump{1'000'000'000});
    for (int i = 0; i < 10; ++i) turn(lab.session);
    CHECK(lab.now()->ordered);
    CHECK(lab.now()->busy == "tiles: going to step 1000000000");
    lab.act(action::Cancel{});
    CHECK(!lab.now()->ordered);
    CHECK(lab.now()->busy.empty());
    const long long stopped = lab.now()->tiles->step;
    CHECK(stopped > 8);
    lab.act(action::Reset{});
    require_step(0, 0);
    lab.act(action::Undo{});
    CHECK(lab.now()->tiles->step == stopped);
    lab.act(action::SetBookmark{});
    CHECK(lab.message() == kNoBookmarkOfTiles);
    // All that was not the run's.
    CHECK(lab.now()->step == 2);
    CHECK(lab.now()->end_step == 5);
    CHECK(lab.cells() == growing_alone("F", 0.01, 2));
}

TEST_CASE("Tiles that run stop at the step at which a run does") {
    BesideLab lab;
    lab.sweep({"F=0:0.1:3"});
    lab.see_tiles();
    lab.act(action::StopAt{Ending{10}});
    lab.act(action::Run{true});
    CHECK(!lab.now()->running);
    CHECK(lab.now()->tiles->step == 10);
    CHECK(lab.now()->said.text == "Stopped at step 10 (Stop at)");
}

TEST_CASE("Tiles that run set no later steps of the run aside, and its view pauses at its earlier step") {
    BesideLab lab;
    lab.act(action::Step{6});
    lab.act(action::Jump{2});
    lab.sweep({"F=0:0.1:3"});
    lab.see_tiles();
    lab.session.apply(action::Run{true});
    for (int i = 0; i < 5; ++i) turn(lab.session);
    lab.see({Pane::now});
    CHECK(!lab.now()->running);
    CHECK(lab.now()->step == 2);
    CHECK(lab.now()->end_step == 6);
}

TEST_CASE("Runs that cannot be are tiles that say so, and stop no others") {
    BesideLab lab;
    lab.sweep({"D=0.1,50,0.2"});
    lab.see_tiles();
    lab.run_to(4);
    const auto tiles = lab.now()->tiles;
    CHECK(tiles->failed(1));
    CHECK(tiles->status[1].starts_with("unstable: "));
    CHECK(!tiles->failed(2));
    CHECK(std::isnan(lab.now()->frame->panes.at(0).pixels->host[24]));
    lab.act(action::OpenTile{1});
    CHECK(lab.message().starts_with("the run with D=50 cannot be opened: unstable: "));
    lab.act(action::ShowSweep{sweep_beside(lab.run(), {"nothing=1:2:3"})});
    CHECK(lab.message().find("nothing") != std::string::npos);
    CHECK(lab.now()->tiles->count() == 3);  // the former one stays
}

TEST_CASE("An observable colours small tiles, and large ones show pictures") {
    BesideLab lab;
    lab.sweep({"F=0:0.1:2"}, "mean(u)");
    lab.see_tiles();
    lab.run_to(4);
    const auto tiles = lab.now()->tiles;
    const double steps = double(tiles->step);
    for (const std::size_t run : {0, 1}) {
        const double expected = std::pow(1 + 0.5 * 0.1 * double(run), steps);
        REQUIRE(tiles->observed.size() == 2);
        CHECK(tiles->observed[run] == Approx(expected).epsilon(1e-5));
    }
    PaneImage image = lab.now()->frame->panes.at(0);
    CHECK(image.label == "mean(u)");
    CHECK(double(image.pixels->host[30]) == Approx(tiles->observed[1]));
    CHECK(image.pixels->host[24] == image.pixels->host[47]);
    lab.see_tiles(2);  // 48 pixels a tile
    image = lab.now()->frame->panes.at(0);
    CHECK(image.label == "u");
    CHECK(image.pixels->host[0] != image.pixels->host[20]);
}

TEST_CASE("A column of the table colours tiles, and another one begins no run anew") {
    BesideLab lab;
    lab.sweep({"F=0:0.1:3", "D=0.1:0.2:2"}, "mean(u)");
    lab.see_tiles();
    lab.run_to(8);
    const long long step = lab.now()->tiles->step;
    const auto color_by = [&](const std::string& map) {
        auto next = std::make_shared<SweepSpec>(*lab.now()->tiles->sweep);
        next->map = map;
        lab.act(action::ShowSweep{next});
        settle(lab.session);
    };
    for (const std::string map : {"u_max", "growth", "wavelength", "max(u) - min(u)"}) {
        CAPTURE(map);
        color_by(map);
        const auto tiles = lab.now()->tiles;
        REQUIRE(tiles->step == step);
        CHECK(tiles->color == map);
        const PaneImage image = lab.now()->frame->panes.at(0);
        CHECK(image.label == map);
        CHECK(image.range.low == tiles->observed_range.low);
        CHECK(image.range.high == tiles->observed_range.high);
        // As the command's table has it.
        SweepSpec spec = with_map_observed(*tiles->sweep);
        Sweep command(spec, query_machine());
        while (!command.is_done()) command.advance();
        const auto columns = sweep_columns(command);
        const auto column = std::ranges::find(columns, map, &SweepColumn::name);
        REQUIRE(column != columns.end());
        for (std::size_t i = 0; i < 6; ++i) {
            if (std::isnan(column->values[i]))
                CHECK(std::isnan(tiles->observed[i]));
            else
                CHECK(tiles->observed[i] == column->values[i]);
        }
    }
    CHECK(command_text(*lab.now()->tiles->sweep).ends_with(" --observe 'mean(u)' --map 'max(u) - min(u)'"));
    color_by("nothing");
    CHECK(lab.message().find("nothing") != std::string::npos);
    CHECK(lab.now()->tiles->color == "max(u) - min(u)");
    lab.act(action::Undo{});
    CHECK(lab.now()->tiles->color == "wavelength");
    CHECK(lab.now()->tiles->step == step);
    // The pictures of large tiles have colours of their own.
    lab.see_tiles(2);
    CHECK(lab.now()->frame->panes.at(0).label == "u");
    const ScratchFolder folder;
    lab.act(action::ExportSweep{(folder / "out").string()});
    CHECK(sweep_from_json(read_bytes(folder / "out" / "spec.json"), "spec.json").map == "wavelength");
}

TEST_CASE("A ready run that is a sweep opens as tiles, which run from step 0 on") {
    BesideLab lab;
    const auto ready = ready_runs();
    std::size_t sweeps = 0;
    for (const ReadyRun& run : ready) sweeps += is_sweep(run.text) ? 1 : 0;
    CHECK(sweeps == 3);
    lab.session.apply(action::Open{"phase-gray-scott"});
    const auto snapshot = lab.now();
    REQUIRE(snapshot->tiles);
    CHECK(snapshot->tiles->step == 0);
    CHECK(snapshot->tiles->count() == 108);
    CHECK(snapshot->opened->panes == std::vector{Pane::mosaic});
    CHECK(snapshot->running);
    lab.session.apply(action::Undo{});
    CHECK(!lab.now()->tiles);
}

TEST_CASE("Run B is the run with one parameter apart, follows its strokes, and is undone") {
    BesideLab lab;
    lab.act(action::Step{6});
    RunB b{"F", {}};
    b.set(0, "0.05");
    lab.act(action::ShowRunB{b});
    lab.see(two_runs());
    lab.act(action::Step{4});
    const auto shown = [&](std::size_t pane) {
        const auto& host = lab.now()->frame->panes.at(pane).pixels->host;
        return std::vector<double>(host.begin(), host.begin() + 24 * 18);
    };
    CHECK(shown(0) == growing_alone("F", 0.01, 10));
    CHECK(shown(1) == growing_alone("F", 0.05, 10));
    const auto& panes = lab.now()->frame->panes;
    CHECK(panes[0].range.low == panes[1].range.low);
    CHECK(panes[0].range.high == panes[1].range.high);
    // Both are painted, and another value holds from its step on.
    b.set(10, "0.08");
    lab.act(action::ShowRunB{b});
    lab.act(action::Paint{dab(12, 9)});
    lab.act(action::Step{2});
    RunSpec spec = run_of_text(kGrowing);
    spec.set_parameter("F", 0.05);
    Simulation other = begun(spec);
    other.apply(Advance{10});
    other.apply(Set{"F", "0.08"});
    other.apply(Paint{dab(12, 9), ""});
    other.apply(Advance{2});
    CHECK(shown(1) == cells_of(other.field()));
    lab.act(action::Undo{});  // the stroke
    lab.act(action::Undo{});
    CHECK(lab.now()->beside.run_b->values == std::vector<RunB::Value>{{0, "0.05"}});
    lab.act(action::Undo{});
    CHECK(!lab.now()->beside.run_b);
    lab.act(action::ShowRunB{RunB{"G", {{0, "1"}}}});
    CHECK(lab.message().find("G") != std::string::npos);
}

TEST_CASE("The files of the tiles are those of the sweep's command up to their step") {
    const ScratchFolder folder;
    BesideLab lab;
    lab.sweep({"F=0:0.1:3"}, "mean(u)");
    lab.see_tiles();
    lab.run_to(8);
    const auto tiles = lab.now()->tiles;
    const std::string out = (folder / "out").string();
    lab.act(action::ExportSweep{out});
    CHECK(lab.message() == "Wrote 3 files to " + out);
    CHECK(read_bytes(folder / "out" / "sweep.png").starts_with("\x89PNG"));
    Sweep command(*tiles->sweep, query_machine());
    while (!command.is_done()) command.advance();
    CHECK(read_bytes(folder / "out" / "sweep.csv") == sweep_csv(command));
}

TEST_CASE("The file of a session has what is shown beside its run, as that of a sweep does") {
    const RunSpec spec = run_of_text(kGrowing);
    auto sweep =
        std::make_shared<SweepSpec>(*sweep_beside(spec, {"F=0.001:0.1:3:log", "D=0.1,0.3"}, "mean(u)"));
    sweep->base.steps = 12;
    const Beside beside{sweep, RunB{"D", {{0, "0.2"}, {7, "0.3"}}}};
    nlohmann::ordered_json file = to_json(spec);
    file[kBesideKey] = to_json(beside);
    const Beside read = beside_of_file(file.dump(), "session.json");
    REQUIRE(read.sweep);
    CHECK(to_json(*read.sweep) == to_json(*sweep));
    CHECK(read.run_b == beside.run_b);
    CHECK(to_json(*beside_of_file(to_json(*sweep).dump(), "spec.json").sweep) == to_json(*sweep));
    CHECK(!beside_of_file(to_json(spec).dump(), "spec.json").sweep);
    const ScratchFolder folder;
    for (const auto& json : {file, to_json(*sweep)}) {
        write_text_file(folder / "session.json", json.dump());
        BesideLab lab;
        lab.act(action::Open{(folder / "session.json").string()});
        REQUIRE(lab.now()->tiles);
        CHECK(lab.now()->tiles->sweep->base.steps == 12);
        CHECK(lab.now()->opened->panes == std::vector{Pane::mosaic});
    }
    file[kBesideKey]["run_b"] = 3;
    CHECK_THROWS_WITH(beside_of_file(file.dump(), "session.json"),
                      "session.json: what is shown beside the run cannot be read");
    CHECK(to_json(Beside()).is_null());
}

TEST_CASE("A value has its place along the tiles, and chosen tiles are a finer range") {
    const Vary even = parse_vary("F=0:0.1:11"), log = parse_vary("K=1e-3:1:4:log"),
               words = parse_vary("dt=1,x,2");
    CHECK(place_on(even, "0") == 0.5);
    CHECK(*place_on(even, "0.055") == Approx(6.0));
    CHECK(place_on(even, "7") == 11.0);
    CHECK(place_on(even, "-7") == 0.0);
    CHECK(*place_on(log, "0.01") == Approx(1.5));
    CHECK(*place_on(log, "0.0316227766") == Approx(2.0));
    CHECK(!place_on(log, "-1"));
    CHECK(place_on(words, "x") == 1.5);
    CHECK(!place_on(words, "3"));
    CHECK(to_string(refined(even, 2, 4)) == "F=0.02:0.04:11");
    CHECK(to_string(refined(even, 2, 2)) == "F=0.015:0.025:11");
    CHECK(to_string(refined(log, 1, 2)) == "K=0.01:0.1:4:log");
    CHECK(to_string(refined(words, 1, 2)) == "dt=x,2");
    CHECK(to_string(parse_vary("F=0.3:0.1:5")) == "F=0.3:0.1:5");
}

TEST_CASE("The command of a sweep names what varies, and what is observed") {
    RunSpec base = resolve(run_of_text(kGrowing), query_machine());
    base.steps = 40;
    SweepSpec sweep = *sweep_beside(base, {"F=0:0.1:3", "D=0.1,0.2,0.5"}, "mean(u) - 1");
    sweep.base.steps = 40;
    const std::string text = command_text(sweep);
    CHECK(text.starts_with("stencilscope sweep "));
    CHECK(text.find(" --steps 40 ") != std::string::npos);
    CHECK(text.ends_with(" --vary F=0:0.1:3 --vary D=0.1,0.2,0.5 --observe 'mean(u) - 1'"));
}
