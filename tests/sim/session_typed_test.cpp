// Typed equations in a session: editing the text during a run, and all other actions.
#include <fmt/format.h>

#include "sim/files/npy.h"
#include "sim/problem/panes.h"
#include "sim/problem/run_text.h"
#include "sim/problem/units.h"
#include "sim/text/embedded.h"
#include "tests/support/session_lab.h"

namespace {

constexpr const char* kTwo =
    "du/dt = D*lap(u) - u*v\ndv/dt = 0.5*D*lap(v) + u*v - K*v\nD = 0.1 in [0, 0.2]; K = 0.05\n"
    "u(0) = 1 + 0.1*sin(x); v(0) = 0.2*ind(x < 9); dt = 0.5; boundary = periodic; size = 37x29";

struct TypedBench : SessionLab {
    explicit TypedBench(const std::string& text = kTwo) : SessionLab(run_of_text(text)) {
        session.apply(action::Pace{3, 12});
    }
    // Runs until it pauses; the field is looked at a few times per second, however fast the turns are.
    void run_until_paused() {
        using Clock = std::chrono::steady_clock;
        session.apply(action::Run{true});
        const auto late = Clock::now() + std::chrono::minutes(2);
        while (session.snapshot()->running && Clock::now() < late) turn(session);
    }
};

// Returns the field that the run's settings reproduce.
std::vector<double> repeated(TypedBench& bench, const std::string& component) {
    RunSpec spec = spec_from_json(to_json(bench.now()->spec).dump(), "spec.json");
    spec.threads = 1;
    Simulation simulation = begun(spec);
    simulation.apply(Advance{spec.steps});
    return cells_of(
        simulation.solver().state().components.at(component_index(*simulation.now().model, component)));
}

}  // namespace

TEST_CASE(
    "An edit of the equation keeps the components that keep their names, and undo brings all of it back") {
    TypedBench bench;
    bench.act(action::Step{20});
    const auto u = bench.cells("u"), v = bench.cells("v");
    bench.set("equation", std::string(kTwo) + "\ndw/dt = 0.1*lap(w); w(0) = 3");
    CHECK(bench.cells("u") == u);
    CHECK(bench.cells("v") == v);
    CHECK(bench.cells("w") == std::vector<double>(37 * 29, 3.0));
    CHECK(bench.now()->step == 20);
    bench.act(action::Step{7});
    CHECK(bench.cells("u") == repeated(bench, "u"));
    bench.act(action::Undo{});
    CHECK(bench.run().model->components.size() == 2);
    CHECK(bench.cells("v") == v);
    bench.act(action::Redo{});
    CHECK(bench.run().model->components.size() == 3);
}

TEST_CASE(
    "What was typed in one go is undone as a whole, and what a text with mistakes says changes nothing") {
    TypedBench bench;
    bench.act(action::Step{3});
    const std::string text = bench.run().model->text;
    for (const char* more : {"\nA = 1", "\nA = 12", "\nA = 123"})
        bench.act(action::Change{"equation", kTwo + std::string(more), std::string(more) != "\nA = 1"});
    CHECK(bench.run().parameter("A") == 123);
    bench.act(action::Undo{});
    CHECK(bench.run().model->text == text);
    bench.set("equation", "du/dt = lap(");
    CHECK(bench.run().model->text == text);
    CHECK(bench.message().find('^') != std::string::npos);
}

TEST_CASE("What was chosen beside the text stays when the text is edited elsewhere") {
    TypedBench bench;
    bench.act(action::Step{2});
    bench.set("K", "0.07");
    bench.set("dt", "0.25");
    bench.set("show", "v");
    bench.set("size", "40x30");
    bench.set("equation", bench.now()->text + "\nA = 2");
    const RunSpec& now = bench.run();
    CHECK(now.parameter("K") == 0.07);
    CHECK(now.parameter("D") == 0.1);
    CHECK(now.time_step() == 0.25);
    CHECK(now.shown() == "v");
    CHECK(*now.size == Size{40, 30});
    std::string other = bench.now()->text;
    other.replace(other.find("K = 0.07"), 8, "K = 0.03");
    bench.set("equation", other);
    CHECK(bench.run().parameter("K") == 0.03);
    bench.act(action::Step{9});
    CHECK(bench.cells("v") == repeated(bench, "v"));
}

TEST_CASE("What a text says counts, also where it says what stood there before a slider was moved") {
    TypedBench bench;
    bench.act(action::Step{2});
    bench.set("K", "0.07");
    bench.set("size", "40x30");
    bench.set("boundary", "zero");
    const std::string text = bench.now()->text;
    CHECK(contains(text, "K = 0.07"));
    CHECK(contains(text, "size = 40x30"));
    CHECK(contains(text, "boundary = zero"));
    bench.set("equation", kTwo);
    CHECK(bench.run().parameter("K") == 0.05);
    CHECK(*bench.run().size == Size{37, 29});
    CHECK(bench.run().boundary == Boundary::periodic);
    CHECK(bench.now()->text == kTwo);
    bench.act(action::Step{5});
    CHECK(bench.cells("u") == repeated(bench, "u"));
    bench.act(action::Undo{});
    CHECK(bench.now()->text == text);
    // A text that fails in part changes nothing.
    bench.set("equation", std::string(kTwo) + "\nC = 1");
    const std::string before = bench.now()->text;
    std::string huge = kTwo;
    huge.replace(huge.find("size = 37x29"), 12, "size = 900000x900000");
    bench.set("equation", huge);
    CHECK(bench.now()->messages.back().level == Message::Level::error);
    CHECK(bench.now()->text == before);
}

TEST_CASE("An edit of the default equation keeps size, boundary, coefficient and start") {
    for (const bool later : {false, true}) {
        CAPTURE(later);
        SessionLab lab(noise_run({37, 29}));
        lab.set("coefficient", "0.1");
        lab.set("boundary", "periodic");
        const auto start = lab.cells();
        if (later) lab.act(action::Step{5});
        const auto before = lab.cells();
        std::string text = lab.now()->text;
        CHECK(contains(text, "coefficient = 0.1 in"));
        text.insert(text.find("lap(u)") + 6, " - 0.001*u");
        lab.set("equation", text);
        CHECK(lab.run().is_general());
        CHECK(*lab.run().size == Size{37, 29});
        CHECK(lab.run().boundary == Boundary::periodic);
        CHECK(lab.run().parameter("coefficient") == 0.1);
        CHECK(lab.cells() == before);
        lab.act(action::Step{3});
        lab.act(action::Reset{});
        CHECK(lab.now()->step == 0);
        CHECK(lab.cells() == start);
    }
}

TEST_CASE("The time is known after an edit of the equation, whatever becomes of dt") {
    TypedBench bench;
    const auto time = [&] { return time_at(bench.now()->spec, bench.now()->step); };
    bench.act(action::Step{20});
    bench.set("equation", "du/dt = 0.3*lap(u); dv/dt = -v; boundary = periodic");
    CHECK(time().value() == 10);
    bench.act(action::Step{7});
    const double dt = bench.run().time_step();
    CHECK(time().value() == Approx(10 + 7 * dt));
    bench.set("dt", "0.5limit");
    bench.act(action::Step{4});
    const double other = bench.run().time_step();
    CHECK(other != dt);
    CHECK(time().value() == Approx(10 + 7 * dt + 4 * other));
    CHECK(bench.cells("u") == repeated(bench, "u"));
}

TEST_CASE("An error goes once the same succeeds, and what ended a run once it goes on") {
    TypedBench bench;
    bench.set("K", "none");
    REQUIRE(bench.now()->messages.size() == 1);
    bench.set("D", "0.2");
    REQUIRE(bench.now()->messages.size() == 1);
    bench.set("K", "0.06");
    CHECK(bench.now()->messages.empty());
    const ScratchFolder folder;
    write_bytes(folder / "bad.npy", "none");
    bench.act(action::Open{(folder / "bad.npy").string()});
    REQUIRE(bench.now()->messages.size() == 1);
    write_npy(folder / "ok.npy", bench.session.simulation().field());
    bench.act(action::Open{(folder / "ok.npy").string()});
    INFO(bench.message());
    CHECK(bench.now()->messages.empty());
    CHECK(bench.now()->said.text == "ok.npy: 37x29");
}

TEST_CASE("Reset after an edit starts from the new text, and a jump back repeats the old one") {
    TypedBench bench;
    bench.act(action::Step{10});
    const auto u = bench.cells("u");
    bench.act(action::Step{10});
    bench.set("equation", "du/dt = 0.1*lap(u); u(0) = 2; dt = 1; boundary = periodic");
    bench.act(action::Jump{10});
    CHECK(bench.cells("u") == u);
    bench.act(action::Jump{25});
    bench.set("equation", "du/dt = 0.1*lap(u); u(0) = 2; dt = 1; boundary = periodic");
    bench.act(action::Reset{});
    CHECK(bench.now()->step == 0);
    CHECK(bench.cells("u") == std::vector<double>(37 * 29, 2.0));
}

TEST_CASE("A model that is chosen anew is a run of its own, in its size and with its start") {
    TypedBench bench;
    bench.act(action::Step{5});
    bench.act(action::Change{"model", "life", false, true});
    const auto snapshot = bench.now();
    CHECK(snapshot->step == 0);
    CHECK(snapshot->spec.edits.empty());
    CHECK(snapshot->now.model->name == "life");
    bench.act(action::Undo{});
    CHECK(bench.now()->step == 5);
    CHECK(*bench.run().size == Size{37, 29});
}

TEST_CASE("A slider dragged while typed equations run is repeated to the bit by the run's settings") {
    TypedBench bench;
    bench.see({Pane::now});
    bench.session.apply(action::Run{true});
    for (int i = 0; i < 12; ++i) {
        turn(bench.session);
        turn(bench.session);
        bench.session.apply(action::Change{"K", std::to_string(0.05 + 0.002 * i), i > 0});
    }
    bench.act(action::Run{false});
    const auto snapshot = bench.now();
    REQUIRE(snapshot->step > 9);
    REQUIRE(snapshot->spec.edits.size() > 3);
    CHECK(contains(command_text(snapshot->spec), ":K=0.07"));
    CHECK(bench.cells("u") == repeated(bench, "u"));
    CHECK(bench.cells("v") == repeated(bench, "v"));
    bench.act(action::Undo{});
    CHECK(bench.run().parameter("K") == 0.05);
}

TEST_CASE("Size, precision, stepper, dx and boundary of typed equations change while they run") {
    TypedBench bench;
    for (const std::string& change :
         split("size=45x31|dtype=float64|stepper=rk4|boundary=insulated|boundary=as typed|dx=1.5|dt=0.5limit|"
               "method=reference",
               '|')) {
        CAPTURE(change, bench.message());
        bench.act(action::Step{4});
        bench.set(change.substr(0, change.find('=')), change.substr(change.find('=') + 1));
        CHECK(bench.session.simulation().step() % 4 == 0);
        CHECK(bench.message().empty());
    }
    bench.act(action::Step{4});
    const RunSpec& now = bench.run();
    CHECK(now.dtype == DType::float64);
    CHECK(now.dx == 1.5);
    CHECK(now.boundary == Boundary::periodic);
    CHECK(bench.cells("v") == repeated(bench, "v"));
}

TEST_CASE("The brush paints the component that is shown, or the one whose pane is under it") {
    TypedBench bench;
    const BrushPiece piece = dab(12, 12);
    const auto u = bench.cells("u"), v = bench.cells("v");
    bench.set("show", "v");
    bench.act(action::Paint{piece});
    CHECK(bench.cells("u") == u);
    CHECK(bench.cells("v").at(12 * 37 + 12) == 0.75);
    bench.act(action::Undo{});
    CHECK(bench.cells("v") == v);
    bench.act(action::Paint{piece, 0});
    CHECK(bench.cells("u").at(12 * 37 + 12) == 0.75);
    CHECK(bench.cells("v") == v);
}

TEST_CASE("Components are seen side by side, each with its own range, and the brush's pane names them") {
    TypedBench bench;
    bench.see(component_panes(*bench.run().model));
    const auto frame = bench.now()->frame;
    REQUIRE(frame->panes.size() == 2);
    for (const std::size_t i : {0u, 1u}) {
        const PaneImage& image = frame->panes[i];
        const auto cells = bench.cells(i == 0 ? "u" : "v");
        CHECK(image.formula == (i == 0 ? "u" : "v"));
        CHECK(double(image.pixels->host.at(40)) == cells[40]);
        CHECK(image.range.high == *std::ranges::max_element(cells));
    }
    CHECK(component_of(Pane::second) == 1u);
    bench.set("equation", "du/dt = 0.1*lap(u); boundary = periodic");
    bench.see({Pane::first, Pane::second});
    CHECK(bench.now()->frame->panes.size() == 1);
}

TEST_CASE("Statistics and probes begin anew where another formula is shown") {
    TypedBench bench;
    bench.act(action::AddProbe{3, 4});
    bench.see({Pane::now});
    bench.act(action::Step{5});
    CHECK(bench.now()->series.size() > 1);
    bench.set("show", "u^2 + v^2");
    const auto snapshot = bench.now();
    REQUIRE(snapshot->series.size() == 1);
    const double u = bench.cells("u").at(4 * 37 + 3), v = bench.cells("v").at(4 * 37 + 3);
    REQUIRE(snapshot->probes.size() == 1);
    REQUIRE(snapshot->probes[0].values.size() == 1);
    CHECK(std::abs(snapshot->probes[0].values[0] - (u * u + v * v)) < 1e-6);
}

TEST_CASE("What is shown again has its colours again, also from a saved run and side by side") {
    TypedBench bench;
    const auto colors = [&](Pane pane, SessionLab& of) {
        of.see({pane});
        const PaneImage& image = of.now()->frame->panes.front();
        return fmt::format("{} {} {} {}", image.formula, image.colormap, image.range.low, image.range.high);
    };
    const auto shown = [&] { return colors(Pane::now, bench); };
    bench.set("colormap", "magma");
    bench.set("range", "0:2");
    bench.set("show", "v");
    CHECK(shown() == "v magma 0 2");
    bench.set("range", "-1:1");
    bench.set("show", "u*v");
    bench.set("colormap", "grey");
    CHECK(shown() == "u*v grey -1 1");
    bench.set("show", "u");
    CHECK(shown() == "u magma 0 2");
    bench.set("show", "v");
    CHECK(shown() == "v magma -1 1");
    CHECK(colors(Pane::first, bench) == "u magma 0 2");
    CHECK(colors(Pane::second, bench) == "v magma -1 1");
    bench.act(action::Step{5});
    bench.act(action::Undo{});
    CHECK(shown() == "u magma 0 2");
    bench.act(action::Redo{});
    CHECK(shown() == "v magma -1 1");
    const ScratchFolder folder;
    write_bytes(folder / "spec.json", to_json(bench.run()).dump());
    TypedBench again(bench.now()->text);
    again.act(action::Open{(folder / "spec.json").string()});
    CHECK(colors(Pane::now, again) == "v magma -1 1");
    again.set("show", "u*v");
    CHECK(colors(Pane::now, again) == "u*v grey -1 1");
    again.act(action::Change{"model", "gray-scott", false, true});
    CHECK(again.run().colors.empty());
    CHECK(again.run().range == RangeRule());
}

TEST_CASE("The limit of dt is told, a larger step is refused, and unstable ones are watched") {
    TypedBench bench(
        "du/dt = D*lap(u); D = 0.2; u(0) = random; dt = 1; boundary = periodic; size = 37x29;"
        "dv/dt = 0");
    bench.see({Pane::now});
    const auto found = bench.now()->step_limit;
    REQUIRE(found);
    CHECK(std::abs(found->limit.dt - 1.25) < 1e-6);
    CHECK(found->limit.component == "u");
    CHECK(found->means.size() == 2);
    bench.set("dt", "1.3");
    CHECK(bench.run().time_step() == 1);
    CHECK(contains(bench.message(), "1.04"));
    bench.set("allow-unstable", "true");
    bench.set("dt", "2");
    CHECK(bench.run().time_step() == 2);
    bench.set("show", "v");  // v itself does not overflow
    bench.run_until_paused();
    CHECK_FALSE(bench.now()->running);
    CHECK(contains(bench.message(), fmt::format("u is not finite at step {}: ", bench.now()->step)));
    CHECK(contains(bench.message(), "1.60 of the limit"));
    // That is the first such step, as `run` finds it.
    Simulation again = begun(bench.now()->spec);
    again.apply(Advance{bench.now()->step - 1});
    CHECK(again.solver().statistics(std::string("u")).not_finite == 0);
    again.apply(Advance{1});
    CHECK(again.solver().statistics(std::string("u")).not_finite > 0);
    bench.run_until_paused();
    CHECK(bench.now()->step == again.step());
    bench.set("allow-overflow", "true");
    bench.act(action::Step{10});
    CHECK(bench.now()->step == again.step() + 10);
}

TEST_CASE("A dt that the limit falls below on the way is told with the step, and the run goes on") {
    // The limit is passed at t = 500, and overflow takes some 20,000 steps more: several looks.
    TypedBench bench("du/dt = (0.499 + 2e-6*t)*lap(u); dt = 0.5; u(0) = random; size = 400x300");
    bench.see({Pane::now});
    bench.run_until_paused();  // where it overflows
    const auto told = [](const Message& message) {
        return message.level == Message::Level::notice &&
               contains(message.text, "dt is above its limit from step ");
    };
    const auto& messages = bench.now()->messages;
    REQUIRE(std::ranges::count_if(messages, told) == 1);
    const std::string text = std::ranges::find_if(messages, told)->text;
    CHECK(std::abs(std::stoi(text.substr(text.find("step ") + 5)) - 1000) < 20);
}

TEST_CASE("An exact view has the limit of dt of its own frame though the run goes on") {
    TypedBench bench("du/dt = 1; u(0) = 0; dt = 0.5; size = 37x29");
    bench.see({Pane::now});
    bench.session.apply(action::Run{true});
    ViewRequest view = view_of({Pane::now}, {37, 29});
    view.exact = true;
    for (int i = 0; i < 20; ++i) turn(bench.session);
    bench.session.set_view(view);
    long long told = 0;
    for (int i = 0; i < 20; ++i) {
        turn(bench.session);
        const auto snapshot = bench.now();
        if (snapshot->frame->serial != view.serial) continue;
        REQUIRE(snapshot->step_limit->means.at(0) == 0.5 * double(snapshot->frame->step));
        ++told;
    }
    CHECK(told > 3);
}

TEST_CASE("Equations that grow without bound pause the run, which says that no smaller limit was broken") {
    TypedBench bench("du/dt = u^2 + 0.1*lap(u); u(0) = 1; dt = 0.1; boundary = periodic; size = 37x29");
    bench.see({Pane::now});
    bench.run_until_paused();
    CHECK_FALSE(bench.now()->running);
    CHECK(contains(bench.message(), "is not finite at step"));
}

TEST_CASE("The difference from float64 of typed equations is the error of the run") {
    TypedBench bench;
    bench.see({Pane::from_reference});
    bench.act(action::Step{30});
    RunSpec wide = bench.now()->spec;
    wide.dtype = DType::float64;
    wide = resolve(wide, query_machine());
    Simulation exact(wide, make_start(wide).to(DType::float32));
    exact.apply(Advance{30});
    const auto truth = cells_of(exact.field());
    const auto u = bench.cells("u");
    const auto frame = bench.now()->frame;
    double largest = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
        const double error = u[i] - truth[i];
        REQUIRE(std::abs(double(frame->panes.at(0).pixels->host[i]) - error) < 1e-12);
        largest = std::max(largest, std::abs(error));
    }
    CHECK(largest > 0);
    CHECK(largest < 1e-5);
}

TEST_CASE("A session compiles at once, and tells when that is done though it stands still") {
    const OwnCache scratch;
    TypedBench bench;
    for (const char* dtype : {"float32", "float64"}) {
        bench.set("dtype", dtype);
        while (bench.now()->way.compiling) std::this_thread::yield();
        const ExecutionPath way = bench.now()->way;
        INFO(dtype << ": " << way.why_not);
        CHECK((way.name == "compiled") == way.why_not.empty());
        CHECK((way.name == "compiled") == !way.origin.empty());
    }
}

TEST_CASE(
    "A dt that follows the limit in the window is repeated, gone back over, undone and stated by the "
    "text") {
    TypedBench bench(
        "du/dt = K*lap(u + u^3) + 1.5 + sin(t/3) - u; K = 0.2 in [0, 2]; u(0) = 0.3 + 0.1*random\ndt = "
        "0.001\nsize = 24x18");
    bench.act(action::Step{5});
    bench.set("dt", "follow:0.8limit");
    CHECK(std::holds_alternative<FollowLimit>(bench.run().dt));
    CHECK(contains(bench.now()->text, "\ndt = follow:0.8limit\n"));
    bench.act(action::Step{400});
    const auto at_405 = bench.cells("u");
    bench.set("K", "0.5");
    bench.act(action::Step{300});
    const StepLog log = bench.now()->spec.dt_log;
    REQUIRE(log.size() > 4);
    CHECK(bench.now()->spec.edits.size() == 2);
    CHECK(time_at(bench.now()->spec, 705).value() == Approx(bench.session.simulation().solver().time()));
    CHECK_FALSE(time_text(bench.now()->spec, 705).empty());
    CHECK(bench.cells("u") == repeated(bench, "u"));
    const auto at_705 = bench.cells("u");
    bench.act(action::Jump{405});
    CHECK(bench.now()->spec.dt_log == log.until(405));
    bench.act(action::Jump{100});
    bench.act(action::Jump{705});
    CHECK(bench.cells("u") == at_705);
    bench.act(action::Jump{300});
    bench.set("K", "0.3");
    CHECK(bench.now()->spec.dt_log.size() < log.size());
    bench.act(action::Step{200});
    CHECK(bench.cells("u") == repeated(bench, "u"));
    const std::string other = "du/dt = K*lap(u + u^3) - 0.5*u\nK = 0.3 in [0, 2]\nsize = 24x18";
    bench.set("equation", other + "\ndt = follow:0.8limit");
    CHECK(std::holds_alternative<FollowLimit>(bench.run().dt));
    bench.act(action::Step{100});
    CHECK(bench.cells("u") == repeated(bench, "u"));
    CHECK_FALSE(time_text(bench.now()->spec, bench.now()->step).empty());
    bench.set("dt", "0.001");
    CHECK(contains(bench.now()->text, "dt = 0.001"));
    bench.act(action::Undo{});
    CHECK(std::holds_alternative<FollowLimit>(bench.run().dt));
    bench.act(action::Step{100});
    CHECK(bench.cells("u") == repeated(bench, "u"));
    bench.act(action::Reset{});
    bench.act(action::Step{100});
    CHECK(bench.cells("u") == repeated(bench, "u"));
    bench.set("equation", other);
    CHECK_FALSE(is_adaptive(bench.run().dt));
    CHECK(bench.now()->text == other);
}

TEST_CASE("What menus and sliders wrote into the text is deleted there") {
    const std::string bare = "du/dt = D*lap(u); D = 0.1 in [0, 1]; u(0) = sin(x)\ndv/dt = -v\nsize = 37x29\n";
    const long long steps = GENERATE(0, 2);
    CAPTURE(steps);
    TypedBench bench(bare);
    bench.act(action::Step{steps});
    CHECK(bench.now()->text == bare);
    const std::vector<std::pair<std::string, std::string>> settings{{"boundary", "zero"},
                                                                    {"dx", "1.5"},
                                                                    {"dt", "0.25"},
                                                                    {"integrator", "heun"},
                                                                    {"colormap", "magma"},
                                                                    {"show", "v"}};
    for (const auto& [name, value] : settings) {
        CAPTURE(name);
        bench.set(name, value);
        CHECK(contains(bench.now()->text, fmt::format("{} = {}", name, value)));
    }
    bench.act(action::Step{steps});
    const std::string stated = bench.now()->text;
    bench.set("equation", bare);
    CHECK(bench.message().empty());
    CHECK(bench.now()->text == bare);
    const RunSpec& now = bench.run();
    CHECK(now.boundary == Boundary::periodic);
    CHECK(now.dx == 1);
    CHECK(now.integrator == equation::Integrator());
    CHECK(now.shown() == "u");
    CHECK(field_colors(now).name == "viridis");
    bench.act(action::Step{2});
    CHECK(bench.cells("u") == repeated(bench, "u"));
    bench.act(action::Undo{});
    CHECK(bench.now()->text == stated);
    bench.act(action::Redo{});
    CHECK(bench.now()->text == bare);
    bench.set("show", "u + v");  // which a text can show by a name alone
    CHECK(bench.now()->text == bare);
}
