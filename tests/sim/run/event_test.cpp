#include "sim/problem/event.h"

#include <fmt/format.h>

#include "kernels/view/brush.h"
#include "kernels/view/paint_cell.h"
#include "sim/problem/run_spec.h"
#include "sim/problem/run_text.h"
#include "sim/text/json.h"
#include "sim/text/shell_words.h"
#include "tests/support/runs.h"

namespace {

RunSpec small_spec() {
    RunSpec spec = noise_run({40, 31});
    spec.steps = 60;
    return resolve(spec, query_machine());
}

Simulation with_disk(std::vector<Event> edits = {}) {
    RunSpec spec = noise_run({40, 30});
    spec.initial = "disk:radius=0.2";
    add_events(spec.edits, std::move(edits));
    return begun(std::move(spec));
}

Field small_start() {
    return Field(random_field(40, 31)).to(DType::float32);
}

// The spec of a run from this start repeats it to the bit.
void check_repeats(Simulation& live, const Field& start) {
    Simulation again(live.spec(), start.clone());
    again.apply(Advance{live.step()});
    CHECK(same_bits(again.field(), live.field()));
}

Simulation painted_with(std::string_view value) {
    Simulation simulation = with_disk();
    simulation.apply(Paint{parse_piece(value)});
    return simulation;
}

// The number of cells with a value, and the sums of their columns and rows.
struct Cells {
    long long count = 0, columns = 0, rows = 0;
    friend bool operator==(const Cells&, const Cells&) = default;
};

Cells cells_of(Simulation& simulation, double value) {
    const Field wide = simulation.field().to(DType::float64);
    const Array<double>& cells = wide.as<double>();
    Cells found;
    for (int y = 0; y < cells.ny(); ++y)
        for (int x = 0; x < cells.nx(); ++x)
            if (cells.at(x, y) == value) found = {found.count + 1, found.columns + x, found.rows + y};
    return found;
}

// Estimates the distance of a square's centre from a line by sampling the line.
double tried_distance(double x, double y, double dx, double dy) {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= 20000; ++i) {
        const double t = i / 20000.0;
        least = std::min(least, std::max(std::abs(x - t * dx), std::abs(y - t * dy)));
    }
    return least;
}

}  // namespace

TEST_CASE("A piece of a stroke is spelled so that it reads back as it was") {
    Dice dice;
    for (int i = 0; i < 200; ++i) {
        BrushPiece piece;
        piece.brush = {dice.uniform(-2, 2), dice.uniform(0.5, 90), dice.flip(), dice.flip()};
        piece.x0 = dice.uniform(-10, 500);
        piece.y0 = dice.uniform(-10, 500);
        piece.joined = dice.flip();
        piece.x1 = piece.joined ? dice.uniform(-10, 500) : piece.x0;
        piece.y1 = piece.joined ? dice.uniform(-10, 500) : piece.y0;
        const Event event{dice.integer(0, 100000), Paint{piece, dice.flip() ? "" : "v"}};
        REQUIRE(parse_event(to_string(event)) == event);
    }
}

TEST_CASE("A brush without an edge is written without softness") {
    BrushPiece piece{{2, 3, true, true, BrushShape::rectangle}, 1, 2, 3, 4, false};
    CHECK(to_string(piece) == "2,3,add-rectangle,1,2,3,4");
    piece.brush.shape = BrushShape::fill;
    CHECK(to_string(piece) == "2,3,add-fill,1,2");
    piece.brush.shape = BrushShape::square;
    CHECK(to_string(piece) == "2,3,add-soft-square,1,2");
}

TEST_CASE("Values that a field is given at a step are written as they are read, and checked before the run") {
    for (const char* text : {"5:field=max(u, 0.5)", "7:field-v=0.25", "0:field=disk:radius=0.1"})
        REQUIRE(to_string(parse_event(text)) == text);
    REQUIRE(contains(input_error([] { parse_event("5:field="); }), "a formula or a file"));
    for (const auto& [text, part] : pairs("5:field-w=0 => component 'w' | 5:field=w + 1 => `w` | "
                                          "5:field=gone.npy => gone.npy")) {
        RunSpec spec = small_spec();
        add_events(spec.edits, {parse_event(text)});
        REQUIRE(contains(input_error([&] { spec.validate(); }), part));
    }
}

TEST_CASE("Edits that make no sense are refused with what is allowed") {
    for (const auto& [text, part] :
         pairs("coefficient=0.1 => STEP:SETTING=VALUE | 5:coefficient => STEP:SETTING=VALUE | "
               "-1:coefficient=0.1 => at -1 | 5:initial=noise => unknown setting | "
               "5:coefficient=-1 => must be above 0 | 5:paint=1,20 => 5 or 7 entries | "
               "5:paint=1,0,replace,3,4 => above 0 | 5:paint=1,2,spray,3,4 => replace-soft | "
               "5:paint=nan,2,add,3,4 => not a number | 5:paint=1,-1,replace-fill,3,4 => tolerance | "
               "5:paint=1,0,replace-square,3,4 => above 0 | "
               "5:paint=1,2,replace-rectangle,3,4 => two corners | "
               "5:paint=1,2,add-fill,3,4,5,6 => one point | "
               "5:paint=1,2,replace-soft-fill,3,4 => replace-fill"))
        REQUIRE(contains(input_error([text] { parse_event(text); }), part));
    RunSpec misspelled;  // it may be a parameter of another model
    add_events(misspelled.edits, {parse_event("5:coeficient=0.1")});
    REQUIRE(contains(input_error([&] { misspelled.validate(); }), "did you mean 'coefficient'"));
    RunSpec spec = small_spec();
    find_setting("at").set(spec, "5:coefficient=0.3");
    REQUIRE(contains(input_error([&] { spec.validate(); }), "unstable"));
}

TEST_CASE("Edits are kept in the order of their steps, through spec.json and back") {
    RunSpec spec = small_spec();
    for (const char* text :
         {"30:coefficient=0.1", "10:boundary=periodic", "30:paint=1,5,add-soft,10,12", "0:dtype=float64"})
        find_setting("at").set(spec, text);
    std::vector<std::string> order;
    for (const Event& edit : spec.edits) order.push_back(to_string(edit));
    REQUIRE(order == std::vector<std::string>{"0:dtype=float64",
                                              "10:boundary=periodic",
                                              "30:coefficient=0.1",
                                              "30:paint=1,5,add-soft,10,12"});
    REQUIRE(spec_from_json(to_json(spec).dump(), "spec.json").edits == spec.edits);
}

TEST_CASE("What was done to a run is repeated by its spec, to the bit, however its steps are cut") {
    Dice dice;
    const RunSpec spec = small_spec();
    const Field start = small_start();
    Simulation live(spec, start.clone());
    const auto step = [&] { live.apply(Advance{dice.integer(1, 20)}); };
    live.apply(Set{"coefficient", "0.15"});
    live.apply(Paint{parse_piece("0.7,6.5,replace-soft,12.25,9")});
    step();
    live.apply(Paint{parse_piece("0.5,4,add,30,20")});
    live.apply(Paint{parse_piece("0.5,4,add,30,20,25.5,22")});
    live.apply(Set{"boundary", "insulated"});
    step();
    live.apply(Set{"dtype", "float64"});
    step();
    live.apply(Set{"size", "57x44"});
    live.apply(Set{"method", "reference"});
    step();
    live.apply(Set{"coefficient", "0.05"});
    step();
    REQUIRE(live.now().size == Size{57, 44});
    REQUIRE(live.now().method == "reference");
    REQUIRE(live.spec().size == Size{40, 31});
    REQUIRE(live.spec().parameter("coefficient") == 0.15);

    Simulation again(spec_from_json(to_json(live.spec()).dump(), "spec.json"), start.clone());
    while (again.step() < live.step())
        again.apply(Advance{std::min<long long>(7, live.step() - again.step())});
    REQUIRE(same_bits(again.field(), live.field()));
    REQUIRE(same_bits(again.laplacian(), live.laplacian()));
    REQUIRE(again.now().parameter("coefficient") == 0.05);
    REQUIRE(again.now().boundary == Boundary::insulated);
}

TEST_CASE("A checkpoint brings back every bit, whatever happened since") {
    const Field start = small_start();
    Simulation simulation(small_spec(), start.clone());
    simulation.apply(Advance{11});
    const auto checkpoint = simulation.checkpoint();
    simulation.apply(Advance{5});
    const Field wanted = simulation.field();
    simulation.apply(Set{"size", "20x20"});
    simulation.apply(Set{"dtype", "float64"});
    simulation.apply(Paint{parse_piece("3,50,replace,5,5")});
    simulation.restore(checkpoint);
    REQUIRE(simulation.step() == 11);
    REQUIRE(simulation.edits().empty());
    simulation.apply(Advance{5});
    REQUIRE(same_bits(simulation.field(), wanted));
}

TEST_CASE("The command line of a run names what differs from the defaults, and quotes it") {
    RunSpec spec = small_spec();
    spec.initial = "it's a file.png";
    spec.set_parameter("coefficient", 0.125);
    find_setting("at").set(spec, "10:boundary=periodic");
    const std::string text = command_text(spec);
    REQUIRE(text ==
            "stencilscope run --size 40x31 --steps 60 --coefficient 0.125 --initial 'it'\\''s a file.png' "
            "--method cpu --at 10:boundary=periodic");
}

TEST_CASE("A command that is too long to read is copied as one that reads a file, which repeats the run") {
    const ScratchFolder folder;
    RunSpec spec = small_spec();
    REQUIRE(command_copy(spec, folder.path()).text == command_text(spec));
    REQUIRE(folder.entries() == 0);
    for (int i = 0; i < 200; ++i)
        find_setting("at").set(spec, fmt::format("{}:paint=0.5,4,add,{},20", i, 3 + i % 30));
    const CommandCopy copy = command_copy(spec, folder / "it's");
    REQUIRE(copy.text.size() < 300);
    const auto words = shell_words(copy.text);
    REQUIRE(words == std::vector<std::string>{"stencilscope", "run", "--spec", copy.file});
    REQUIRE(command_text(read_spec(copy.file)) == command_text(spec));
    // The next copy replaces no file.
    REQUIRE(command_copy(spec, folder / "it's").file != copy.file);
    REQUIRE(message_of<InputError>([&] { command_copy(spec, ""); }) != "");
}

TEST_CASE("Changes of a parameter at one step are one edit, and the field goes as its spec says") {
    const Field start = small_start();
    Simulation live(small_spec(), start.clone());
    live.apply(Advance{7});
    live.apply(Set{"boundary", "periodic"});
    for (int i = 0; i < 5000; ++i) live.apply(Set{"coefficient", fmt::format("{}", 0.05 + 1e-5 * i)});
    live.apply(Paint{parse_piece("0.5,4,add,30,20")});
    live.apply(Set{"coefficient", "0.137"});
    live.apply(Set{"boundary", "zero"});
    std::vector<std::string> settings;
    for (const Event& edit : live.edits())
        settings.push_back(edit.setting() ? edit.setting()->setting : "paint");
    const std::vector<std::string> wanted{"boundary", "coefficient", "paint", "coefficient", "boundary"};
    REQUIRE(settings == wanted);
    live.apply(Advance{5});
    // Changing a value and back at one step changes no bit.
    live.apply(Set{"coefficient", "0.21"});
    REQUIRE(live.edits().size() == wanted.size() + 1);
    live.apply(Set{"boundary", "insulated"});
    live.apply(Set{"coefficient", "0.1370"});
    REQUIRE(live.edits().size() == wanted.size() + 1);
    live.apply(Set{"boundary", "zero"});
    REQUIRE(live.edits().size() == wanted.size());
    live.apply(Advance{9});
    REQUIRE(live.step() == 21);
    check_repeats(live, start);
}

TEST_CASE("An undone step leaves a parameter that was dragged since where it was, to the bit") {
    const Field start = small_start();
    RunSpec spec = small_spec();
    spec.set_parameter("coefficient", 0.137);
    Simulation live(spec, start.clone());
    live.apply(Advance{7});
    live.apply(Set{"coefficient", "0.21"});
    const auto checkpoint = live.checkpoint();
    live.apply(Paint{parse_piece("0.5,4,add,30,20")});
    live.restore(checkpoint);
    live.apply(Set{"coefficient", "0.137"});
    live.apply(Advance{9});
    REQUIRE(live.step() == 16);
    check_repeats(live, start);
}

TEST_CASE("Restoring what cannot be restored changes nothing") {
    const Field start = small_start();
    Simulation simulation(small_spec(), start.clone());
    simulation.apply(Advance{3});
    auto wrong = simulation.checkpoint();
    simulation.apply(Set{"dtype", "float64"});
    simulation.apply(Advance{2});
    wrong.state = simulation.checkpoint().state;  // with another precision than its settings
    simulation.apply(Set{"size", "50x20"});
    simulation.apply(Advance{2});
    const Field before = simulation.field();
    REQUIRE_THROWS(simulation.restore(wrong));
    REQUIRE(simulation.now().size == Size{50, 20});
    REQUIRE(simulation.step() == 7);
    REQUIRE(same_bits(simulation.field(), before));
}

TEST_CASE("A hundred thousand edits are read in any order, and copies of the spec share them") {
    nlohmann::json json = to_json(small_spec());
    json["at"] = nlohmann::json::array();
    constexpr int kEdits = 100'000;
    for (int i = 0; i < kEdits; ++i)
        json["at"].push_back(fmt::format("{}:coefficient={}", kEdits - i, 0.01 + 1e-6 * i));
    const RunSpec spec = spec_from_json(json.dump(), "spec.json");
    REQUIRE(spec.edits.size() == kEdits);
    REQUIRE(std::ranges::is_sorted(spec.edits, {}, &Event::step));
    RunSpec copy = spec;
    REQUIRE(copy.edits.begin() == spec.edits.begin());
    copy.edits.modify([](auto& events) { events.pop_back(); });
    REQUIRE(copy.edits.begin() != spec.edits.begin());
    REQUIRE(spec.edits.size() == kEdits);
}

TEST_CASE("Whether the total ought to stay goes by the steps that were made") {
    RunSpec spec = small_spec();
    spec.boundary = Boundary::insulated;
    Simulation simulation(spec, Field(random_field(40, 31)));
    simulation.apply(Advance{3});
    simulation.apply(Set{"boundary", "zero"});
    simulation.apply(Set{"boundary", "periodic"});
    simulation.apply(Set{"coefficient", "0.1"});
    simulation.apply(Advance{3});
    REQUIRE(simulation.conserves_total());
    const auto checkpoint = simulation.checkpoint();
    simulation.apply(Paint{parse_piece("0.5,4,add,30,20")});
    REQUIRE_FALSE(simulation.conserves_total());
    simulation.restore(checkpoint);
    REQUIRE(simulation.conserves_total());
    simulation.apply(Set{"boundary", "zero"});
    simulation.apply(Advance{1});
    simulation.apply(Set{"boundary", "periodic"});
    REQUIRE_FALSE(simulation.conserves_total());
}

TEST_CASE("A square brush reaches as far as the nearest point of its line, across and down") {
    Dice dice;
    for (int i = 0; i < 60; ++i) {
        const double x = dice.uniform(-9, 9), y = dice.uniform(-9, 9);
        double dx = dice.uniform(-9, 9), dy = dice.uniform(-9, 9);
        if (i % 4 == 0) dx = 0;
        if (i % 6 == 0) dy = 0;
        if (i % 5 == 0) dy = i % 2 == 0 ? dx : -dx;
        CAPTURE(x, y, dx, dy);
        const double found = std::sqrt(brush_distance2(BrushShape::square, x, y, dx, dy));
        CHECK(std::abs(found - tried_distance(x, y, dx, dy)) < 2e-3);
    }
}

TEST_CASE("Squares and rectangles cover the cells whose centres are within them, and no others") {
    Simulation square = painted_with("7,2,replace-square,10,12");
    CHECK(cells_of(square, 7) == Cells{16, 16 * 9 + 8, 16 * 11 + 8});  // 8..11 across, 10..13 down
    Simulation box = painted_with("7,0,replace-rectangle,5,20,2,18");
    CHECK(cells_of(box, 7) == Cells{6, 2 * (2 + 3 + 4), 3 * (18 + 19)});
    Simulation beyond = painted_with("7,0,replace-rectangle,-5,-5,400,3");
    CHECK(cells_of(beyond, 7).count == 3 * 40);
    Simulation none = painted_with("7,0,replace-rectangle,5,5,5,9");
    CHECK(cells_of(none, 7).count == 0);
}

TEST_CASE("A fill takes in what is joined to its cell by values near to its own") {
    // A disc of 1 in a field of 0.
    Simulation start = with_disk();
    const long long inside = cells_of(start, 1).count;
    Simulation disc = painted_with("7,0.5,replace-fill,20.5,15.5");
    CHECK(cells_of(disc, 7).count == inside);
    CHECK(cells_of(disc, 1).count == 0);
    Simulation around = painted_with("7,0.5,replace-fill,0,29.9");
    CHECK(cells_of(around, 7).count == 40 * 30 - inside);
    Simulation all = painted_with("7,1,replace-fill,3,3");
    CHECK(cells_of(all, 7).count == 40 * 30);
    Simulation more = painted_with("6,0.5,add-fill,20.5,15.5");
    CHECK(cells_of(more, 7).count == inside);
    Simulation beyond = painted_with("7,1,replace-fill,-0.5,3");
    CHECK(cells_of(beyond, 7).count == 0);
}

TEST_CASE("A fill agrees with one that looks at each cell's neighbours, whatever the field") {
    Dice dice;
    for (int i = 0; i < 30; ++i) {
        const int nx = dice.integer(1, 23), ny = dice.integer(1, 17);
        Array<float> field(nx, ny);
        for (float& u : field.cells()) u = float(dice.integer(0, 2));
        if (i % 3 == 0) field.at(0, 0) = std::numeric_limits<float>::quiet_NaN();
        const int x = i % 3 == 0 ? 0 : dice.integer(0, nx - 1), y = i % 3 == 0 ? 0 : dice.integer(0, ny - 1);
        const double tolerance = dice.integer(0, 1), value = double(field.at(x, y));
        const auto like = [&](int cx, int cy) {
            const double u = double(field.at(cx, cy));
            return std::isnan(value) ? std::isnan(u) : std::abs(u - value) <= tolerance;
        };
        std::set<std::pair<int, int>> expected{{x, y}}, waiting = expected;
        while (!waiting.empty()) {
            const auto [cx, cy] = *waiting.begin();
            waiting.erase(waiting.begin());
            for (const auto& [nextx, nexty] :
                 {std::pair(cx - 1, cy), std::pair(cx + 1, cy), std::pair(cx, cy - 1), std::pair(cx, cy + 1)})
                if (nextx >= 0 && nexty >= 0 && nextx < nx && nexty < ny && like(nextx, nexty) &&
                    expected.insert({nextx, nexty}).second)
                    waiting.insert({nextx, nexty});
        }
        std::set<std::pair<int, int>> found;
        std::size_t cells = 0;
        for (const CellBox& box : flood_fill(FieldView<const float>(field.view()), x, y, tolerance))
            for (int cy = box.y; cy < box.y + box.ny; ++cy)
                for (int cx = box.x; cx < box.x + box.nx; ++cx, ++cells) found.insert({cx, cy});
        CHECK(found == expected);
        CHECK(cells == found.size());  // no cell twice
    }
}

TEST_CASE("Strokes of every shape are spelled so that they read back, and repeat the run to the bit") {
    Simulation live = with_disk();
    live.apply(Advance{7});
    for (const std::string& piece :
         split("0.7,3.5,replace-soft-square,12.25,9 0.7,3.5,replace-soft-square,12.25,9,20,14 "
               "0.25,2,add-square,30,20 -0.5,0,add-rectangle,3,4,17,12 2,0.125,replace-fill,25,25 "
               "1,0.5,add-fill,18,15",
               ' ')) {
        CHECK(to_string(parse_piece(piece)) == piece);
        live.apply(Paint{parse_piece(piece)});
        live.apply(Advance{5});
    }
    std::vector<Event> edits;
    for (const Event& edit : live.edits()) edits.push_back(parse_event(to_string(edit)));
    CHECK(edits.size() == 6);
    Simulation again = with_disk(std::move(edits));
    again.apply(Advance{live.step()});
    CHECK(same_bits(again.field(), live.field()));
}

TEST_CASE("What sets a component from outside sets its sensitivities, as differences of two runs tell") {
    using Words = std::vector<std::string>;
    const auto given = GENERATE(values<Words>({{}, {"a=sin(x)"}, {"b=sin(y)"}, {"a=noise", "b=x/9"}}));
    const auto stroke = GENERATE(values<std::string>({"a=0.8,3,replace-rectangle,0,0,9,9",
                                                      "a=0.8,5,replace-soft,10,9",
                                                      "b=0.8,5,replace-soft,4,4,15,8",
                                                      "a=0.3,5,add-soft,10,9",
                                                      "a=0.8,0.4,replace-fill,10,9",
                                                      "a=0.8,7,replace-square,12,9"}));
    INFO(fmt::format("{} given, {}", given.size(), stroke));
    const auto run = [&](double k1, double k2) {
        RunSpec spec = run_of_text(fmt::format(
            "da/dt = k1*a + 0.1*lap(a); db/dt = a*k2; k1 = {}; k2 = {}; sensitivity = k1; sensitivity = k2; "
            "a(0) = k1*3 + x/9; b(0) = k2*y; dt = 0.1; boundary = insulated",
            k1,
            k2));
        for (const std::string& start : given) set_setting(spec, "initial", start);
        spec.size = Size{24, 18};
        spec.dtype = DType::float64;
        Simulation simulation = begun(spec);
        simulation.apply(Advance{2});
        simulation.apply(Paint{parse_piece(stroke.substr(2)), stroke.substr(0, 1)});
        simulation.apply(Advance{4});
        std::map<std::string, std::vector<double>> fields;
        for (const Component& c : simulation.now().model->components) {
            const Field field = simulation.solver().field({c.name});
            const auto cells = field.as<double>().cells();
            fields[c.name].assign(cells.begin(), cells.end());
        }
        return fields;
    };
    constexpr double k1 = 0.5, k2 = 0.3, h = 1e-4;
    auto own = run(k1, k2);
    for (const std::string parameter : {"k1", "k2"}) {
        const bool first = parameter == "k1";
        auto more = run(k1 + (first ? h : 0), k2 + (first ? 0 : h)),
             less = run(k1 - (first ? h : 0), k2 - (first ? 0 : h));
        for (const std::string name : {"a", "b"}) {
            INFO(name << " by " << parameter);
            const auto& told = own[fmt::format("d{}_d{}", name, parameter)];
            double largest = 1, difference = 0;
            for (std::size_t i = 0; i < told.size(); ++i) {
                const double exact = (more[name][i] - less[name][i]) / (2 * h);
                largest = std::max(largest, std::abs(exact));
                difference = std::max(difference, std::abs(told[i] - exact));
            }
            CHECK(difference < 1e-6 * largest);
        }
    }
}
