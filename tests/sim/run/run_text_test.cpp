// The text of a run contains all of it, and parses to the same run; physical units only affect what is
// reported.
#include "sim/problem/run_text.h"
#include "sim/model/side_conditions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/model/equations.h"
#include "sim/problem/run_spec.h"
#include "sim/problem/units.h"
#include "tests/support/program.h"
#include "tests/support/runs.h"

namespace {

bool same_run(const RunSpec& a, const RunSpec& b) {
    return a.parameters == b.parameters && a.size == b.size && a.time_step() == b.time_step() &&
           a.dx == b.dx && a.boundary_as_typed == b.boundary_as_typed &&
           (a.boundary_as_typed || a.boundary == b.boundary) && a.integrator == b.integrator;
}

// Writes an expression out, so that those of two graphs can be compared, which order summands and factors by
// when they were first seen.
std::string written(const equation::Graph& graph, equation::Node node) {
    const equation::Expression& e = graph[node];
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < e.count; ++i) parts.push_back(written(graph, e.args[i]));
    if (e.op == equation::Op::add || e.op == equation::Op::multiply) std::ranges::sort(parts);
    return fmt::format("({} {} {} {})", int(e.op), e.index, e.number, fmt::join(parts, " "));
}

// What the text means at each side of each component and definition, by name and side.
std::map<std::pair<std::string, std::size_t>, std::string> meaning_at_sides(const std::string& text) {
    const equation::Equations read = equation::read_equations(text);
    std::map<std::pair<std::string, std::size_t>, std::string> meaning;
    const auto of = [&](const equation::Condition& c) {
        return c.periodic ? "periodic"
                          : written(read.graph, c.value) + written(read.graph, c.flux) +
                                written(read.graph, c.right);
    };
    for (const auto& component : read.components)
        for (std::size_t side = 0; side < 4; ++side)
            meaning[{component.name, side}] = of(component.sides[side]);
    for (const auto& definition : read.definitions)
        for (std::size_t side = 0; side < 4; ++side)
            if (definition.sides[side]) meaning[{definition.name, side}] = of(*definition.sides[side]);
    return meaning;
}

template <std::size_t kCount>
std::string one_of(Dice& dice, const std::array<const char*, kCount>& texts) {
    return texts[std::size_t(dice.integer(0, int(kCount) - 1))];
}

constexpr std::array kSideFormulas{"0", "1", "-2.5", "k", "sin(y)", "k*x", "t - 1", "2*(x + y)", "-x"};
constexpr std::array kSideComponents{"u", "v", "w"};

// A text with random statements of sides that is valid.
std::string text_with_random_sides(Dice& dice, int components) {
    constexpr std::array labels{"left", "right", "top", "bottom", "x", "y", "all", "left, top", "X, bottom"};
    constexpr std::array words{"periodic", "insulated", "zero", "dirichlet", "noflux", "torus"};
    constexpr std::array forms{"{0} = {1}",
                               "flux({0}) = {1}",
                               "d{0}/dn = {1}",
                               "{0} + {2}*flux({0}) = {1}",
                               "{0} + flux({0}) = {1}",
                               "2*{0} = {1}",
                               "{1} = {0} - flux({0})"};
    constexpr std::array ends{"\n", "; ", ";  # said\n", "   # u = 3\n\n"};
    std::string text = "# start\nk = 3; q = 2*u; p = 0 in [0, 1]\n";
    for (int c = 0; c < components; ++c)
        text += fmt::format("d{0}/dt = lap({0}) + q - k + p\n", kSideComponents[std::size_t(c)]);
    if (dice.flip())
        text += fmt::format(
            "boundary = {}{}", one_of(dice, std::array{"zero", "insulated", "periodic"}), one_of(dice, ends));
    if (dice.integer(0, 3) == 0) text += "all: q = 0\n";
    for (int i = dice.integer(0, 5); i > 0; --i) {
        const std::string component = kSideComponents[std::size_t(dice.integer(0, components - 1))];
        const std::string condition = dice.integer(0, 2) == 0
                                          ? one_of(dice, words)
                                          : fmt::format(fmt::runtime(one_of(dice, forms)),
                                                        component,
                                                        one_of(dice, kSideFormulas),
                                                        one_of(dice, std::array{"k", "3", "(k + 1)"}));
        const std::string more = fmt::format("{}: {}{}", one_of(dice, labels), condition, one_of(dice, ends));
        try {
            equation::read_equations(text + more + "x, y: u = 0");
            text += more;
        } catch (const InputError&) {
        }
    }
    return text;
}

}  // namespace

TEST_CASE("The text of any preset with random settings says them, and is itself when it is read again") {
    Dice dice;
    for (const Preset& preset : presets()) {
        CAPTURE(std::string(preset.name));
        RunSpec spec;
        spec.use_model(find_model(preset.name));
        CHECK(text_of_run(spec) == spec.model->text);
        for (int i = 0; i < 8; ++i) {
            for (std::size_t p = 0; p < spec.parameters.size(); ++p) {
                const ModelParameter& row = spec.model->parameters[p];
                if (dice.integer(0, 1) == 0)
                    spec.parameters[p] = dice.uniform(row.low, row.high + 0.2 * (row.high - row.low));
            }
            if (dice.integer(0, 1) == 0) spec.size = Size{dice.integer(1, 999), dice.integer(1, 999)};
            if (dice.integer(0, 1) == 0) spec.dt = FixedStep{dice.uniform(1e-6, 1)};
            if (dice.integer(0, 1) == 0) spec.dx = dice.uniform(1e-3, 10);
            if (dice.integer(0, 2) == 0) {
                spec.boundary = Boundary(dice.integer(0, 2));
                spec.boundary_as_typed = false;
            }
            const std::string text = text_of_run(spec);
            CAPTURE(text);
            // Some convolutions have no meaning beside a side where the field is 0.
            const std::string refused = input_error([&] { spec_of_text(text); });
            if (contains(refused, "`conv` takes")) {
                spec.boundary = Boundary::periodic;
                continue;
            }
            const RunSpec again = spec_of_text(text);
            CHECK(same_run(again, spec));
            CHECK(text_of_run(again) == text);
        }
    }
}

TEST_CASE("Comments, layout and what was not changed stay as they were typed") {
    const std::string text =
        "# title\n"
        "du/dt = D*lap(u)   # spreads\n"
        "D = 1/8 in [0, 1] [m^2/s];  k=3\n"
        "left: u = k;  right: u = 0  # hot\n"
        "dx = 1;  dt = 0.5;  u(0) = 0\n";
    RunSpec spec = spec_of_text(text);
    CHECK(text_of_run(spec) == text);
    spec.set_parameter("D", 2);
    spec.dt = FixedStep{0.25};
    spec.size = Size{64, 32};
    CHECK(text_of_run(spec) ==
          "# title\n"
          "du/dt = D*lap(u)   # spreads\n"
          "D = 2 in [0, 2] [m^2/s];  k=3\n"
          "left: u = k;  right: u = 0  # hot\n"
          "dx = 1;  dt = 0.25;  u(0) = 0\n"
          "size = 64x32\n");
    spec.boundary = Boundary::periodic;
    spec.boundary_as_typed = false;
    CHECK(!contains(text_of_run(spec), "left"));
    CHECK(contains(text_of_run(spec), "boundary = periodic"));
    // An initial condition that a text can express is included, any other is left out.
    spec.initial = "exp(-x)";
    CHECK(contains(text_of_run(spec), "u(0) = exp(-x)"));
    spec.initial = "jagged";
    CHECK(contains(text_of_run(spec), "u(0) = \"jagged\""));
    spec.initial = "photo.png";
    CHECK(!contains(text_of_run(spec), "u(0)"));
}

TEST_CASE("An open dt is left open, and a chosen one is written") {
    RunSpec spec = spec_of_text("du/dt = lap(u)\n");
    spec.dt = FixedStep{0.2};
    CHECK(text_of_run(spec) == "du/dt = lap(u)\ndt = 0.2\n");
    spec.dt = UsualStep{};
    spec.decide_dt(0.2);
    CHECK(text_of_run(spec) == spec.model->text);
    spec.dt = FixedStep{0.1};
    CHECK(text_of_run(spec) == "du/dt = lap(u)\ndt = 0.1\n");
}

TEST_CASE("A text states how dt is chosen, what is shown and its colours") {
    const auto dt_of_text = [](const std::string& dt) {
        return spec_of_text("du/dt = lap(u); w = 2*u; integrator = bs32; dt = " + dt).dt;
    };
    CHECK(dt_of_text("1/8") == TimeStep(FixedStep{0.125}));
    CHECK(dt_of_text("0.5 limit") == TimeStep(ShareOfLimit{0.5}));
    CHECK(dt_of_text("limit") == TimeStep(ShareOfLimit{1}));
    CHECK(dt_of_text("follow:0.8limit") == TimeStep(FollowLimit{0.8}));
    CHECK(dt_of_text("tolerance:1e-4") == TimeStep(ByTolerance{1e-4}));
    CHECK(contains(input_error([&] { dt_of_text("follow:-1limit"); }), "must be above 0"));
    CHECK(contains(input_error([&] { dt_of_text("-1"); }), "a number above 0"));
    const std::string text = "du/dt = lap(u)  # spreads\nw = 2*u; show = w; colormap = Magma; dt = 0.5\n";
    RunSpec spec = spec_of_text(text);
    CHECK(text_of_run(spec) == text);
    spec.dt = ByTolerance{1e-3, 0.25};
    spec.colormap = "grey";
    spec.show = "u";
    CHECK(text_of_run(spec) ==
          "du/dt = lap(u)  # spreads\nw = 2*u; show = u; colormap = grey; dt = tolerance:0.001\n");
    set_setting(spec, "equation", text);
    CHECK(spec.shown() == "w");
    CHECK(spec.chosen_colormap("w") == "magma");
}

TEST_CASE("What a text says counts, and what it does not say stays as it is in the run") {
    RunSpec before =
        spec_of_text("du/dt = D*lap(u)\nD = 0.1 in [0, 1]; dt = 0.5; boundary = zero; size = 40x30");
    before.set_parameter("D", 0.3);
    before.boundary = Boundary::periodic;
    before.size = Size{64, 64};
    before.dx = 2;
    const auto edited = [&](const std::string& text) { return with_setting(before, "equation", text); };
    // Edits outside of the statements do not change the run.
    CHECK(same_run(edited(text_of_run(before) + " # more"), before));
    // Returns to the text before the sliders were moved.
    const RunSpec back =
        edited("du/dt = D*lap(u)\nD = 0.1 in [0, 1]; dt = 0.5; boundary = zero; size = 40x30; dx = 1");
    CHECK(back.parameter("D") == 0.1);
    CHECK(back.boundary == Boundary::zero);
    CHECK(back.size == Size{40, 30});
    CHECK(back.dx == 1);
    const RunSpec bare = edited("du/dt = 0.2*lap(u)");
    CHECK(bare.boundary == Boundary::periodic);
    CHECK(bare.size == Size{64, 64});
    CHECK(bare.dx == 2);
    CHECK(bare.dt == TimeStep());
}

TEST_CASE("A start that no text can say stays the start of the edited equation") {
    RunSpec before;
    const auto start_behind = [&](const char* text) {
        return with_setting(before, "equation", text).initial;
    };
    CHECK(start_behind("du/dt = 0.2*lap(u) - 0.001*u").empty());  // that of the text before goes with it
    before.initial = "photo.png";
    CHECK(start_behind("du/dt = 0.2*lap(u) - 0.001*u") == "photo.png");
    CHECK(start_behind("du/dt = 0.2*lap(u)\nu(0) = 1").empty());
    CHECK(start_behind("du/dt = 0.2*lap(u)\nu(0) = \"disk\"") == "disk");
}

TEST_CASE("A unit is a number with a name, or the name alone") {
    CHECK(read_unit("0.01m", "x") == Unit{0.01, "m"});
    CHECK(read_unit("0.01 m", "x") == Unit{0.01, "m"});
    CHECK(read_unit("5e3km", "x") == Unit{5000, "km"});
    CHECK(read_unit("5eV", "x") == Unit{5, "eV"});
    CHECK(read_unit("s", "x") == Unit{1, "s"});
    CHECK_FALSE(read_unit("", "x").given());
    for (const char* text : {"3", "0m", "-1m", "1e999m", "1 m,s", "m\"", "inf m", "m\n", "one two"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(read_unit(text, "unit-length"), InputError);
    }
    Dice dice;
    const Unit unit{dice.uniform(1e-9, 1e9), "mm"};
    CHECK(read_unit(to_string(unit), "x") == unit);
}

TEST_CASE("The time of a step is that of all steps before it") {
    RunSpec spec;
    CHECK(time_text(spec, 100) == "100");
    set_setting(spec, "unit-time", "0.1s");
    CHECK(time_text(spec, 100) == "10 s");
    set_setting(spec, "equation", "du/dt = lap(u) - u^3");
    set_setting(spec, "dt", "0.05");
    spec.unit_time = {};
    CHECK(time_text(spec, 100) == "5");
    set_setting(spec, "at", "40:dt=0.1");
    CHECK(time_at(spec, 100).value() == Approx(40 * 0.05 + 60 * 0.1));
    CHECK(time_at(spec, 40).value() == Approx(2));
    set_setting(spec, "at", "60:dt=0.8limit");
    CHECK_FALSE(time_at(spec, 100));
    CHECK(time_at(spec, 60));
}

TEST_CASE("Units stand in tables, figures and spec.json, and leave the field as it is") {
    const ScratchFolder folder;
    const auto run = [&](const std::string& name, const std::string& units) {
        const ProgramResult result = stencilscope(
            "run --size 40x30 --steps 10 --probe 3,4 --profile 2,2,30,20 --export "
            "field.npy,spec.json,statistics.csv,probes.csv,profile.csv,figure.svg --out {} --quiet " +
                units,
            folder / name);
        REQUIRE(result.status == 0);
        return folder / name;
    };
    const auto plain = run("plain", "");
    const auto with = run("with", "--unit-length 0.01m --unit-time 0.5s");
    const auto typed = run("typed", "--model gray-scott --dt 1/8 --at 1e1:F=4/100");
    CHECK(read_bytes(typed / "statistics-u.csv").find("step,time,min,") == 0);
    CHECK(contains(read_bytes(typed / "statistics-u.csv"), "\n10,1.25,"));
    CHECK(read_bytes(typed / "probes-u.csv").starts_with("probe,x,y,step,time,value\n"));
    CHECK(read_bytes(plain / "field.npy") == read_bytes(with / "field.npy"));
    CHECK(read_bytes(plain / "statistics.csv").starts_with("step,time,min,"));
    CHECK(read_bytes(with / "statistics.csv").starts_with("step,time (s),min,"));
    CHECK(contains(read_bytes(with / "statistics.csv"), "\n10,5,"));
    CHECK(read_bytes(with / "probes.csv").starts_with("probe,x,y,step,time (s),value\n"));
    CHECK(read_bytes(with / "profile.csv").starts_with("distance (m),x (m),y (m),value,time (s)\n"));
    CHECK(contains(read_bytes(with / "figure.svg"), "x (m)"));
    CHECK(contains(read_bytes(plain / "figure.svg"), "x (cells)"));
    const RunSpec again = read_spec((with / "spec.json").string());
    CHECK(again.unit_length == Unit{0.01, "m"});
    CHECK(again.unit_time == Unit{0.5, "s"});
    CHECK(contains(command_text(again), "--unit-length '0.01 m'"));
    const ProgramResult refused = stencilscope("run --size 8 --steps 1 --unit-time 3");
    CHECK(refused.status == 2);
    CHECK(contains(refused.err, "--unit-time 3"));
}

TEST_CASE("A condition at one side is written into any text, and all others stay as they were") {
    using Kind = SideCondition::Kind;
    Dice dice;
    int texts = 0, splits = 0;
    for (int i = 0; i < 400; ++i) {
        const int components = dice.integer(1, 3);
        std::string text = text_with_random_sides(dice, components);
        try {
            equation::read_equations(text);
        } catch (const InputError&) {
            continue;  // periodic at one side alone
        }
        ++texts;
        for (int change = 0; change < 4; ++change) {
            const std::string component = kSideComponents[std::size_t(dice.integer(0, components - 1))];
            const std::size_t side = std::size_t(dice.integer(0, 3)), other = side ^ 1;
            // Two conditions at a side need an equation of fourth order.
            constexpr std::array kKinds{Kind::value, Kind::flux, Kind::robin, Kind::zero, Kind::periodic};
            SideCondition wanted{kKinds[std::size_t(dice.integer(0, std::ssize(kKinds) - 1))]};
            if (wanted.kind < Kind::zero) wanted.value = one_of(dice, kSideFormulas);
            if (wanted.kind == Kind::robin)
                wanted.factor = one_of(dice, std::array{"1", "k", "-3", "k + 1", "k*2"});
            const auto before = side_conditions(text, component);
            auto meaning = meaning_at_sides(text);
            const std::string next = text_with_side(text, component, equation::Side(side), wanted);
            CAPTURE(text, component, side, next);
            const auto after = side_conditions(next, component);
            CHECK(after[side] == wanted);
            const SideCondition insulated{Kind::flux};
            CHECK(after[other] == (wanted.kind == Kind::periodic         ? wanted
                                   : before[side].kind == Kind::periodic ? insulated
                                                                         : before[other]));
            CHECK(text_with_side(next, component, equation::Side(side), wanted) == next);
            const bool both = wanted.kind == Kind::periodic || before[side].kind == Kind::periodic;
            auto now = meaning_at_sides(next);
            for (auto* each : {&meaning, &now}) {
                each->erase({component, side});
                if (both) each->erase({component, other});
            }
            CHECK(meaning == now);
            CHECK(text_of_run(spec_of_text(next)) == next);
            splits += next.size() < text.size() ? 1 : 0;
            text = next;
        }
    }
    CHECK(texts > 100);
    CHECK(splits > 10);
}

TEST_CASE("Statements of sides are split, replaced and removed where they stand") {
    using enum SideCondition::Kind;
    using enum equation::Side;
    const std::string head = "du/dt = lap(u); dv/dt = lap(v)\n";
    const auto with = [&](const std::string& sides, equation::Side side, const SideCondition& condition) {
        const std::string text = text_with_side(head + sides, "u", side, condition);
        REQUIRE(text.starts_with(head));
        return text.substr(head.size());
    };
    CHECK(with("", left, {value, "1"}) == "left: u = 1; right: flux(u) = 0\n");
    CHECK(with("Left: u = 1  # hot\n", left, {robin, "sin(y)", "2"}) ==
          "left: u + 2*flux(u) = sin(y)  # hot\n");
    CHECK(with("all: u = 1\n", top, {flux, "3"}) == "all: u = 1\ntop: flux(u) = 3\n");
    CHECK(with("x: u = 1; left: u = 2\n", right, {value, "3"}) == "right: u = 3; left: u = 2\n");
    CHECK(with("all: u = 1; left: v = 0; right: flux(v) = 0\n", left, {periodic}) ==
          "y: u = 1; left: v = 0; right: flux(v) = 0\n");
    CHECK(with("left: u = 1; right: u = 0\n", left, {periodic}).empty());
    CHECK(with("boundary = zero\nx: insulated\nall: v = 1\n", top, {periodic}) ==
          "boundary = zero\ny: periodic; x: insulated\nall: v = 1\n");
    CHECK(with("all: insulated\n", left, {periodic}) ==
          "x: periodic; y: insulated\nleft: flux(v) = 0; right: flux(v) = 0\n");
    for (const char* wrong : {"", "1; top: v = 0", "1 +", "(", "u = 1"})
        CHECK_THROWS_AS(with("", left, {value, wrong}), InputError);
    CHECK(with("all: u = 1\n", top, {zero}) == "all: u = 1\ntop: u + 0.5*dx*flux(u) = 0\n");
    CHECK(text_with_side("du/dt = lap(u)\nleft: u = 1\n", "u", left, {zero}) ==
          "du/dt = lap(u)\nleft: zero\n");
    CHECK(text_with_side(
              "du/dt = -lap2(u)\nleft: u = 0\nleft: flux(u) = 0\nright: u = 0\n", "u", left, {value, "1"}) ==
          "du/dt = -lap2(u)\nleft: u = 1\nright: u = 0\n");
    CHECK(with("left: flux(v) = -u; right: v = 0\n", left, {value, "2"}) ==
          "left: flux(v) = -u; right: v = 0\nleft: u = 2; right: flux(u) = 0\n");
    CHECK(side_conditions(head + "x: zero\n", "u")[0] == SideCondition{zero});
    CHECK(side_conditions(head + "left: u = 1; all: u = 0\n", "u")[0] == SideCondition{value, "1"});
    CHECK(side_conditions(head + "all: u = 0; left: flux(v) = u\n", "u")[0] == SideCondition{value, "0"});
    CHECK(side_conditions(head + "w = lap(u); all: u = 0; left: w = 8*u/dx^2\n", "u")[0] ==
          SideCondition{value, "0"});
    CHECK(side_conditions(head + "x: 2*u = 1\n", "u")[1] == SideCondition{.kind = typed, .typed = "2*u = 1"});
}

TEST_CASE("A boundary chosen beside the text replaces conditions of every form in it") {
    RunSpec spec = spec_of_text("du/dt = lap(u)\nleft: du/dn = 1; right: u = 2; y: insulated\n");
    spec.boundary = Boundary::zero;
    spec.boundary_as_typed = false;
    CHECK(text_of_run(spec) == "du/dt = lap(u)\nboundary = zero\n");
}
