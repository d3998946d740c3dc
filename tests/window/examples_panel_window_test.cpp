// The examples' section without a window: options, buttons, tables, plots, and pausing the simulation.

#include "app/window/panels/examples/example_panel.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/plots/plot.h"
#include "tests/support/catch.h"
#include "tests/support/examples/sample_example.h"
#include "tests/support/window/imgui_panels.h"
#include "tests/support/window/window_robot.h"

namespace {

// Shows the section in its own window, with a runner as in the program.
struct ExamplesLab : HeadlessImGui {
    explicit ExamplesLab(float width = 400, float scale = 1, Theme theme = Theme::dark)
        : HeadlessImGui((width + 1000) * scale, 3000, scale, theme), size(width * scale, 3000) {
        ui.scale = scale;
        ui.panel.examples.name = "sample";
        snapshot.machine = full_snapshot(dice).machine;
        draw = [this] {
            follow_example(ui, snapshot);
            ui.canvas = {size.x, 0, 1000 * ui.scale, 900 * ui.scale};
            ImGui::SetNextWindowPos({0, 0});
            ImGui::SetNextWindowSize(size);
            ImGui::Begin("examples", nullptr, ImGuiWindowFlags_AlwaysVerticalScrollbar);
            draw_example_panel(ui, snapshot, table);
            ImGui::End();
            draw_large_results(ui);
        };
    }

    void serve() {
        serve_examples(ui, runner, snapshot.machine);
        ui.example = runner.news();
    }
    void run_to_end() {
        for (int i = 0; i < 4000; ++i) {
            frames();
            serve();
            if (!ui.example.running && !ui.panel.examples.waiting) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        FAIL("the example has not ended");
    }

    template <class Order>
    std::vector<Order> orders() const {
        std::vector<Order> found;
        for (const UiRequest& order : ui.requests)
            if (const Order* one = std::get_if<Order>(&order)) found.push_back(*one);
        return found;
    }

    // Clicks down a column of the window until `done`; returns the height, or -1.
    template <class Done>
    float click_down(float x, Done done) {
        frames();
        for (float y = 30; y < 700; y += 9) {
            click({x, y});
            if (done()) return y;
        }
        return -1;
    }

    Dice dice;
    ImVec2 size;
    std::vector<Example> table{find_example("add"), sample_example()};
    UiState ui;
    Snapshot snapshot = empty_snapshot();
    ExampleRunner runner;
};

std::string command_of(const ExamplesState& state) {
    return command_text(draft_of(sample_example(), state).request);
}

OptionTexts& sample_texts(ExamplesState& state) {
    return state.texts["sample"];
}

}  // namespace

TEST_CASE("an example's options become the command that a person would type") {
    ExamplesState state;
    CHECK(command_of(state) == "stencilscope example sample");
    sample_texts(state) = {{"rows", {"500"}},
                           {"density", {"0.1"}},
                           {"mode", {"blocked"}},
                           {"matrix", {"a folder/it's.mtx"}},
                           {"c", {"0.5,,7"}},
                           {"title", {"-dash"}},
                           {"checks", {"dense,norm"}}};
    state.common = {{"backend", {"cpu"}}, {"dtype", {"both"}}, {"repeats", {"3"}}, {"memory-limit", {"2GB"}}};
    CHECK(command_of(state) ==
          "stencilscope example sample --rows 500 --mode blocked --matrix 'a folder/it'\\''s.mtx' --c 0.5 "
          "--c 7 "
          "--title=-dash --checks dense,norm --backend cpu --dtype both --repeats 3 --memory-limit 2GB");
    state.writes = true;
    state.folder = "here";
    CHECK(command_of(state).ends_with(" --out here"));
}

TEST_CASE("names are ticked in a list of all that are allowed") {
    ExamplesLab lab;
    const auto tick = [&](const char* name) {
        lab.click("examples", {"examples", "sample", "checks", "##names"});
        lab.frames(3);
        REQUIRE_FALSE(ImGui::GetCurrentContext()->OpenPopupStack.empty());
        lab.click(ImGui::GetCurrentContext()->OpenPopupStack.back().Window->Name, {name}, 0.1f);
        lab.press(ImGuiKey_Escape);
        lab.frames(3);
        return command_of(lab.ui.panel.examples);
    };
    CHECK(tick("float64") == "stencilscope example sample --checks dense,norm");
    CHECK(tick("norm") == "stencilscope example sample --checks dense");
    CHECK(tick("float64") == "stencilscope example sample --checks dense,float64");
}

TEST_CASE("a request that is shown in the panel comes back from it") {
    Dice dice;
    for (int i = 0; i < 50; ++i) {
        ExampleRequest request = request_for(sample_example());
        const auto maybe = [&](const char* name, const std::string& text) {
            if (dice.integer(0, 1)) request.options.set(name, text);
        };
        maybe("rows", std::to_string(dice.integer(1, 1000000)));
        maybe("density", std::to_string(dice.uniform(0.01, 1)));
        maybe("mode", "streamed");
        maybe("operand", "a.npy");
        maybe("operand", "b.npy");
        maybe("checks", "norm");
        maybe("title", "two words");
        maybe("backend", "cuda");
        maybe("dtype", "float64");
        maybe("memory-limit", std::to_string(dice.integer(1, 1000000000)));
        maybe("threads", std::to_string(dice.integer(1, 64)));
        if (dice.integer(0, 1)) request.out = "a folder";
        ExamplesState state;
        show_request(state, request);
        CHECK(state.name == "sample");
        CHECK(command_of(state) == command_text(request));
        CHECK(draft_of(sample_example(), state).errors.empty());
    }
}

TEST_CASE("what is not understood is said beside its option, and nothing can be run") {
    ExamplesLab lab;
    ExamplesState& state = lab.ui.panel.examples;
    sample_texts(state) = {{"rows", {"many"}}, {"density", {"2"}}, {"c", {"1,x"}}};
    state.common = {{"memory-limit", {"-1"}}, {"threads", {"0"}}};
    const ExampleDraft wish = draft_of(sample_example(), state);
    CHECK(wish.errors.size() == 5);
    CHECK(wish.errors.at("rows").find("from 1 to 1000000") != std::string::npos);
    CHECK(wish.errors.at("density").starts_with("2: must be"));
    CHECK(lab.click_down(60, [&] { return lab.ui.panel.examples.waiting || !lab.ui.requests.empty(); }) < 0);

    // And a refusal by the example's own check.
    state.texts.clear();
    state.common.clear();
    sample_texts(state) = {{"rows", {"13"}}};
    CHECK(lab.click_down(60, [&] { return !lab.ui.requests.empty(); }) < 0);
    CHECK(state.refusal.find("bad luck") != std::string::npos);
    sample_texts(state)["rows"] = {"14"};
    CHECK(lab.click_down(60, [&] { return !lab.ui.requests.empty(); }) > 0);
    CHECK(state.refusal.empty());
}

TEST_CASE("options take numbers as all fields do, and an error takes no room from what is typed into") {
    ExamplesLab lab;
    ExamplesState& state = lab.ui.panel.examples;
    std::vector<float> heights;
    for (const char* rows : {"1k", "many", "13"}) {
        sample_texts(state) = {{"rows", {rows}}, {"c", {"1/4,2"}}};
        lab.frames(3);
        heights.push_back(window_rect("examples").content.y);
        CHECK(draft_of(sample_example(), state).errors.empty() == (std::string(rows) != "many"));
        if (heights.size() == 1)
            CHECK(command_of(state) == "stencilscope example sample --rows 1000 --c 0.25 --c 2");
    }
    CHECK(state.refusal.find("bad luck") != std::string::npos);
    CHECK(heights[1] == heights[0]);
    CHECK(heights[2] == heights[0]);
}

TEST_CASE("the run button runs what the panel asks for, and cancel ends it, while frames go on") {
    ExamplesLab lab;
    sample_texts(lab.ui.panel.examples) = {{"seconds", {"60"}}, {"rows", {"77"}}};
    const float y = lab.click_down(60, [&] { return !lab.ui.requests.empty(); });
    REQUIRE(y > 0);
    const auto starts = lab.orders<StartExample>();
    REQUIRE(starts.size() == 1);
    CHECK(starts.front().request.options.integer("rows") == 77);
    lab.serve();
    REQUIRE(lab.ui.example.running);
    // A second click while it runs does nothing.
    lab.click({60, y});
    CHECK(lab.ui.requests.empty());
    CHECK(wait_until([&] {
        lab.frames();
        lab.serve();
        return lab.ui.example.share > 0;
    }));
    CHECK(lab.ui.example.running);
    lab.click({180, y});
    CHECK(lab.orders<CancelExample>().size() == 1);
    lab.run_to_end();
    REQUIRE(lab.ui.example.report);
    CHECK(lab.ui.example.report->interrupted);

    lab.click({310, y});
    CHECK(std::string(ImGui::GetClipboardText()) == "stencilscope example sample --rows 77 --seconds 60");
}

TEST_CASE("an example waits until the simulation pauses for it, and the simulation goes on after it") {
    for (const bool was_running : {true, false}) {
        ExamplesLab lab;
        lab.snapshot.running = was_running;
        lab.ui.panel.examples.alone = true;
        sample_texts(lab.ui.panel.examples) = {{"seconds", {"0.2"}}};
        REQUIRE(lab.click_down(60, [&] {
            return lab.ui.panel.examples.waiting || !lab.orders<StartExample>().empty();
        }) > 0);
        const auto pauses = actions_of<action::Run>(lab.ui);
        REQUIRE(pauses.size() == (was_running ? 1 : 0));
        if (was_running) {
            CHECK_FALSE(pauses.front().on);
            lab.ui.actions.clear();
            lab.frames(5);
            CHECK(lab.ui.requests.empty());
            lab.snapshot.running = false;
        }
        lab.frames();
        lab.serve();
        CHECK(lab.ui.example.running);
        CHECK(lab.ui.actions.empty());
        lab.run_to_end();
        lab.frames();
        const auto resumes = actions_of<action::Run>(lab.ui);
        REQUIRE(resumes.size() == (was_running ? 1 : 0));
        if (was_running) CHECK(resumes.front().on);
        for (const std::string& note : lab.ui.example.report->notes)
            CHECK(note.find("simulation") == std::string::npos);
    }
}

TEST_CASE("where the simulation ran beside an example its report says so, wherever it goes") {
    const ScratchFolder folder;
    ExamplesLab lab;
    const bool from_the_start = lab.dice.integer(0, 1) == 1;
    CAPTURE(from_the_start);
    lab.snapshot.running = from_the_start;
    ExamplesState& state = lab.ui.panel.examples;
    sample_texts(state) = {{"seconds", {"0.2"}}};
    state.writes = true;
    state.folder = (folder / "out").string();
    REQUIRE(lab.click_down(60, [&] { return !lab.ui.requests.empty(); }) > 0);
    CHECK(actions_of<action::Run>(lab.ui).empty());
    lab.serve();
    lab.snapshot.running = true;
    lab.run_to_end();
    REQUIRE(lab.ui.example.report);
    CHECK(lab.ui.example.report->notes.back().find("The simulation ran beside") == 0);
    CHECK(read_bytes(folder / "out" / "report.json").find("The simulation ran beside") != std::string::npos);
}

TEST_CASE(
    "the section fits its window in both themes, at both scales and every width, and so do its results") {
    Dice dice;
    for (const float scale : {1.0f, 2.0f})
        for (const float width : {200.0f, 340.0f, 700.0f})
            for (const Theme theme : {Theme::dark, Theme::light}) {
                CAPTURE(scale, width);
                ExamplesLab lab(width, scale, theme);
                UiState& ui = lab.ui;
                ui.example.report = std::make_shared<Report>(sample_report(dice));
                ui.example.example = "sample";
                ui.example.failure = "--subscripts ij,jk->: the output is empty\n  ij,jk->\n         ^";
                sample_texts(ui.panel.examples) = {{"rows", {"many"}}, {"operand", {"a.npy,b.npy"}}};
                for (const bool large : {false, true}) {
                    ui.panel.examples.large = large;
                    lab.frames(3);
                    for (const char* name : {"examples", "###results"}) {
                        const WindowRect window = window_rect(name);
                        CAPTURE(name, large);
                        CHECK(window.drawn == (large || std::string(name) == "examples"));
                        if (window.drawn) CHECK(window.content.x <= window.room.x + 1);
                    }
                }
                CHECK(ui.actions.empty());
                CHECK(ui.requests.empty());
            }
}

TEST_CASE(
    "rows of the same work and precision stand together, and columns without anything in them are left out") {
    Dice dice;
    Report report = sample_report(dice);
    std::ranges::shuffle(report.rows, dice.engine);
    const auto lines = lines_of(report);
    CHECK(lines.size() == report.rows.size() + 3);
    std::vector<std::string> works;
    for (const TableLine& line : lines) {
        if (line.kind == TableLine::Kind::group)
            works.push_back(group_title(*line.row));
        else
            CHECK((line.kind == TableLine::Kind::absent) == !line.row->measured());
        CHECK(group_title(*line.row) == works.back());
    }
    CHECK(works.size() == 3);
    const auto columns = columns_of(report, lines);
    for (const TableColumn& column : columns) {
        CHECK(column.cells.size() == lines.size());
        CHECK(std::ranges::any_of(column.cells, [](const std::string& cell) { return !cell.empty(); }));
    }
    const auto has = [](const std::vector<TableColumn>& among, const std::string& title) {
        return std::ranges::find(among, title, &TableColumn::title) != among.end();
    };
    for (const char* title : {"How", "Time", "Error", "Of limit", "GPU memory", "Iterations"})
        CHECK(has(columns, title));
    // Without a GPU, its rows have no line.
    report.has_gpu = false;
    for (ReportRow& row : report.rows)
        if (row.backend == Device::cuda) row.why_not = report.gpu;
    for (const TableLine& line : lines_of(report)) CHECK(line.row->backend == Device::cpu);
    std::erase_if(report.rows, [](const ReportRow& row) { return row.backend == Device::cuda; });
    for (ReportRow& row : report.rows) row.more.clear();
    const auto fewer = lines_of(report);
    for (const char* title : {"To the GPU", "GPU memory", "Iterations"})
        CHECK_FALSE(has(columns_of(report, fewer), title));
    CHECK(group_title(report.rows.front()).ends_with(", float32"));
}

TEST_CASE("plots draw whatever a report may hold") {
    Dice dice;
    const double nan = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();
    HeadlessImGui imgui(600, 600);
    for (const bool logarithmic : {false, true})
        for (const std::vector<ReportPoint>& points : std::vector<std::vector<ReportPoint>>{
                 {},
                 {{3, 4, "alone", true}},
                 {{nan, 1, "", false}, {1, nan, "", false}, {inf, -inf, "far", true}},
                 {{0, 0, "", false}, {-1, -1, "", false}, {-2, 5, "", false}},
                 {{1e-300, 1e300, "a", false}, {1e300, 1e-300, "b", false}},
                 {{2.1, 2.1, "", false}, {2.2, 2.2, "", false}, {2.2, 2.2, "", false}}}) {
            ReportCurve curve{"id", "title", "x", "y", logarithmic, logarithmic, {}};
            curve.series = {{"first", points}, {"second", points, true, true, true}, {"none", {}}};
            for (const float height : {1.0f, 60.0f, 300.0f})
                imgui.frame_of([&] {
                    ImGui::SetNextWindowSize({500, 500});
                    ImGui::Begin("plot");
                    ImGui::TextUnformatted(curve.title.c_str());
                    draw_plot(curve, height);
                    ImGui::End();
                });
            CHECK(ImGui::GetDrawData()->TotalVtxCount > 50);
        }
}

TEST_CASE("an example that the window is to run at its start is refused before anything opens") {
    require_refused(run_program({"--example", "a word that is no example"}), 2, "--example");
    require_refused(run_program({"--example", "einsum --subscripts 'ij->"}), 2, "a quote ' has no end");
    // An empty value counts as a value; the next word is not taken instead.
    require_refused(run_program({"--example", "add --dtype= --length 5"}), 2, "--dtype : must be");
    require_refused(run_program({"--example", "add --dtype '' --length 5"}), 2, "--dtype : must be");
}

TEST_CASE("a scripted window runs an example before the first step, and shows what came of it") {
    const RobotHome home;
    const ScratchFolder folder;
    const std::string words =
        "add --length 10007 --repeats 1 --dtype float64 --out " + (folder / "out").string();
    WindowRobot robot({"--size",
                       "64x48",
                       "--frames",
                       "3",
                       "--results",
                       "--screenshot",
                       (folder / "shot.png").string(),
                       "--json",
                       (folder / "window.json").string(),
                       "--example",
                       words},
                      home);
    const auto status = robot.wait_for_exit();
    INFO(robot.errors());
    REQUIRE(status == 0);
    CHECK(std::filesystem::file_size(folder / "shot.png") > 1000);
    // The frames waited for the example.
    const auto report = nlohmann::json::parse(read_bytes(folder / "out" / "report.json"));
    CHECK(report["example"] == "add");
    CHECK(report["settings"]["length"] == "10007");
    CHECK(report["rows"].size() >= 1);
    CHECK(report["notes"].dump().find("ran beside") == std::string::npos);
    CHECK(read_json(folder / "window.json")["step"] == 30);
}
