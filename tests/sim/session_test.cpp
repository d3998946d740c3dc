#include "sim/session/session.h"

#include <fmt/format.h>

#include "sim/files/atomic_file.h"
#include "sim/files/npy.h"
#include "sim/model/equations.h"
#include "sim/problem/ready_runs.h"
#include "sim/problem/run_text.h"
#include "tests/support/session_lab.h"

TEST_CASE("A frame shows the field as it is, cell by cell") {
    Session session(small_run(), standing());
    session.set_view(small_view_of(Pane::now));
    settle(session);
    perform(session, action::Step{17});
    const auto snapshot = session.snapshot();
    REQUIRE(snapshot->step == 17);
    REQUIRE(snapshot->frame->step == 17);
    const PaneImage& image = snapshot->frame->panes.at(0);
    REQUIRE(image.pixels->host.size() >= 61 * 43);
    const auto field = cells(session);
    REQUIRE(std::equal(field.begin(), field.end(), image.pixels->host.begin()));
    REQUIRE(image.range.low == *std::ranges::min_element(field));
    REQUIRE(image.range.high == *std::ranges::max_element(field));
}

TEST_CASE("A view that is to be exact has the range of its own moment, though the run goes on") {
    RunSpec spec = small_run();
    spec.size = Size{1200, 1100};  // percentiles take longer than some steps
    spec.range = {RangeRule::Kind::percentile, 3, 95};
    SessionOptions options = running();
    options.steps_per_frame = 1;
    Session session(spec, options);
    session.set_view(small_view_of(Pane::now));
    for (int i = 0; i < 3; ++i) turn(session);
    ViewRequest view = small_view_of(Pane::now);
    view.exact = true;
    session.set_view(view);
    session.work();
    const auto frame = session.snapshot()->frame;
    REQUIRE(frame->serial == view.serial);
    REQUIRE(frame->step > 0);
    Solver& solver = session.simulation().solver();
    const ValueRange range = measure_range(solver, Quantity::value, spec.range, false);
    REQUIRE(frame->panes.at(0).range.low == range.low);
    REQUIRE(frame->panes.at(0).range.high == range.high);
}

TEST_CASE("A frame after the mouse has moved samples the field no second time") {
    Session session(small_run(), standing());
    ViewRequest view = small_view_of(Pane::now);
    session.set_view(view);
    settle(session);
    const auto first = session.snapshot()->frame;
    view.serial += 1000;
    view.hover = SamplePoint{5.5, 6.5};
    session.set_view(view);
    settle(session);
    const auto second = session.snapshot()->frame;
    REQUIRE(second->serial == view.serial);
    REQUIRE(second->hover_value == double(cells(session)[6 * 61 + 5]));
    REQUIRE(second->panes.at(0).pixels == first->panes.at(0).pixels);
    perform(session, action::Paint{dab(5, 6)});
    REQUIRE(session.snapshot()->frame->panes.at(0).pixels != first->panes.at(0).pixels);
}

TEST_CASE("The panes show the Laplacian, the start, and the differences from the start and from float64") {
    Session session(small_run(), standing());
    const auto first = cells(session);
    session.apply(action::Change{"coefficient", "0.1"});
    session.apply(action::Step{40});
    session.apply(action::Change{"boundary", "insulated"});
    session.apply(action::Paint{dab(20, 20)});
    perform(session, action::Step{23});
    const auto now = cells(session);
    const auto pixels = [&](Pane pane) {
        session.set_view(small_view_of(pane));
        settle(session);
        const auto& image = session.snapshot()->frame->panes.at(0);
        REQUIRE(image.request.pane == pane);
        return std::vector<float>(image.pixels->host.begin(), image.pixels->host.begin() + 61 * 43);
    };
    REQUIRE(pixels(Pane::start) == first);
    const Field laplacian = session.simulation().laplacian();
    const auto wanted = laplacian.as<float>().cells();
    REQUIRE(std::ranges::equal(pixels(Pane::laplacian), wanted));
    const auto difference = pixels(Pane::from_start);
    for (std::size_t i = 0; i < now.size(); ++i)
        REQUIRE(difference[i] == float(double(now[i]) - double(first[i])));
    // float32 differs from float64 only by rounding.
    const auto error = pixels(Pane::from_reference);
    double most = 0;
    for (const float e : error) most = std::max(most, double(std::abs(e)));
    REQUIRE(most > 0);
    REQUIRE(most < 2e-6);
}

TEST_CASE("Orders are exact: steps, jumps ahead and back, and where a run stops") {
    Session session(small_run(), standing());
    Simulation plain(session.simulation().spec(), session.simulation().start());
    plain.apply(Advance{137});
    perform(session, action::Jump{500});
    REQUIRE(session.snapshot()->step == 500);
    perform(session, action::Jump{137});
    REQUIRE(session.snapshot()->step == 137);
    const Field back = plain.field();
    REQUIRE(std::ranges::equal(cells(session), back.as<float>().cells()));
    session.apply(action::StopAt{200});
    session.apply(action::Pace{7, 12});
    perform(session, action::Run{true});
    REQUIRE(session.snapshot()->step == 200);
    REQUIRE_FALSE(session.snapshot()->running);
    REQUIRE(session.snapshot()->said.text == "Stopped at step 200 (Stop at)");
    perform(session, action::Step{});
    REQUIRE(session.snapshot()->step == 201);
}

TEST_CASE("Actions that arrive together have the order in which they were made") {
    Session session(small_run(), standing());
    for (int i = 0; i < 3; ++i) session.apply(action::Step{});
    session.apply(action::Change{"size", "80x50"});
    perform(session, action::Step{});
    REQUIRE(session.snapshot()->step == 4);
    const auto edits = session.snapshot()->spec.edits;
    REQUIRE(edits.size() == 1);
    REQUIRE(edits.begin()->step == 3);
}

TEST_CASE("A running session makes one frame for every so many steps, and waits until it is taken") {
    Session session(small_run(), standing());
    session.set_view(small_view_of(Pane::now));
    session.apply(action::Pace{13, 12});
    session.apply(action::Run{true});
    for (int frame = 0; frame < 5; ++frame) {
        while (session.busy()) session.work();
        const auto snapshot = session.snapshot();
        REQUIRE(snapshot->frame->step == 13 * frame);
        REQUIRE(snapshot->step <= 13 * (frame + 1));
        session.frame_taken(snapshot->frame->count);
    }
}

TEST_CASE("Undo and redo go through strokes, settings and starts, bit by bit") {
    Session session(small_run(), standing());
    perform(session, action::Step{20});
    const auto before = cells(session);
    session.apply(action::Paint{dab(10, 10)});
    session.apply(action::Paint{joined_dab(10, 10)});
    const auto painted = cells(session);
    REQUIRE(painted != before);
    session.apply(action::Change{"coefficient", "0.11"});
    session.apply(action::Change{"coefficient", "0.12", true});
    session.apply(action::Change{"initial", "gaussian:sigma=0.2"});
    const auto gaussian = cells(session);
    REQUIRE(session.snapshot()->step == 0);
    REQUIRE(session.snapshot()->can_undo == "initial condition at step 20");

    session.apply(action::Undo{});
    REQUIRE(cells(session) == painted);
    REQUIRE(session.snapshot()->step == 20);
    REQUIRE(session.snapshot()->now.parameter("coefficient") == 0.12);
    session.apply(action::Undo{});
    REQUIRE(session.snapshot()->now.parameter("coefficient") == 0.2);  // the drag is one undo entry
    session.apply(action::Undo{});
    REQUIRE(cells(session) == before);
    REQUIRE(session.snapshot()->can_undo.empty());

    session.apply(action::Redo{});
    REQUIRE(cells(session) == painted);
    session.apply(action::Redo{});
    REQUIRE(session.snapshot()->now.parameter("coefficient") == 0.12);
    session.apply(action::Redo{});
    REQUIRE(cells(session) == gaussian);
    REQUIRE(session.snapshot()->can_redo.empty());
}

TEST_CASE("Size and precision at the start begin anew, and carry the field over later") {
    Session session(small_run(), standing());
    session.apply(action::Change{"size", "80x50"});
    REQUIRE(session.snapshot()->spec.edits.empty());
    REQUIRE(session.snapshot()->now.size == Size{80, 50});
    perform(session, action::Step{50});
    const double mean = statistics_of(session.simulation().field()).mean;
    session.apply(action::Change{"size", "160x100"});
    perform(session, action::Change{"dtype", "float64"});
    REQUIRE(session.snapshot()->step == 50);
    REQUIRE(session.snapshot()->spec.edits.size() == 2);
    REQUIRE(session.simulation().field().dtype() == DType::float64);
    REQUIRE(std::abs(statistics_of(session.simulation().field()).mean - mean) < 0.02 * mean);
    session.apply(action::Reset{});
    REQUIRE(session.snapshot()->spec.edits.empty());
    REQUIRE(session.snapshot()->spec.size == Size{160, 100});
    REQUIRE(session.snapshot()->step == 0);
}

TEST_CASE("What is not allowed becomes a message and changes nothing") {
    Session session(small_run(), standing());
    perform(session, action::Step{5});
    const auto before = cells(session);
    const auto refuse = [&](const Action& action, const std::string& part) {
        session.apply(action);
        CAPTURE(newest_message(session));
        REQUIRE(contains(newest_message(session), part));
        REQUIRE(session.snapshot()->messages.back().level == Message::Level::error);
        REQUIRE(cells(session) == before);
        REQUIRE(session.snapshot()->step == 5);
    };
    refuse(action::Change{"coefficient", "0.3"}, "unstable");
    refuse(action::Change{"size", "0x5"}, "size");
    refuse(action::Change{"size", "900000x900000"}, "not enough host memory");
    refuse(action::Change{"initial", "nothing-like-it.npy"}, "nothing-like-it.npy");
    refuse(action::Open{"nowhere/spec.json"}, "nowhere/spec.json");
    refuse(action::Jump{-3}, "jump");
    refuse(action::AddProbe{61, 0}, "no cell");
    refuse(action::Export{"", {"field.npy"}}, "folder");
    refuse(action::Export{"somewhere", {"field.gif"}}, "unknown");
    const int id = session.snapshot()->messages.back().id;
    session.apply(action::DismissMessage{id});
    for (const Message& message : session.snapshot()->messages) REQUIRE(message.id != id);
}

TEST_CASE("An action that fails costs nothing of what can be undone or done again") {
    Session session(small_run(), standing());
    perform(session, action::Step{5});
    perform(session, action::Change{"coefficient", "0.1"});
    perform(session, action::Undo{});
    const std::string redone = session.snapshot()->can_redo;
    REQUIRE_FALSE(redone.empty());
    for (const Action& failing : {Action(action::Open{"nothing-like-it.npy"}),
                                  Action(action::Change{"size", "900000x900000"}),
                                  Action(action::Resume{"nowhere"})}) {
        perform(session, failing);
        REQUIRE(session.snapshot()->messages.back().level == Message::Level::error);
        REQUIRE(session.snapshot()->can_redo == redone);
        REQUIRE(session.snapshot()->can_undo.empty());
    }
    perform(session, action::Redo{});
    REQUIRE(session.simulation().now().parameter("coefficient") == 0.1);
}

TEST_CASE("What cannot be undone now stays in the history, and nothing says that it was undone") {
    RunSpec spec = small_run();
    spec.allow_unstable = true;
    Session session(spec, standing());
    perform(session, action::Step{5});
    perform(session, action::Change{"coefficient", "0.3"});
    perform(session, action::Change{"coefficient", "0.2"});
    session.simulation().apply(Set{"allow-unstable", "false"});  // not by an action
    const auto before = session.snapshot();
    perform(session, action::Undo{2});
    REQUIRE(contains(newest_message(session), "0.3"));
    REQUIRE(session.simulation().now().parameter("coefficient") == 0.2);
    REQUIRE(session.snapshot()->history->done == before->history->done);
    REQUIRE(session.snapshot()->can_redo.empty());
    REQUIRE(session.snapshot()->said.count == before->said.count);
    session.simulation().apply(Set{"allow-unstable", "true"});
    perform(session, action::Undo{});
    REQUIRE(session.simulation().now().parameter("coefficient") == 0.3);
    REQUIRE(session.snapshot()->said.count == before->said.count + 1);
    REQUIRE(contains(session.snapshot()->said.text, "Undone: coefficient 0.3 to 0.2"));
}

TEST_CASE(
    "Every setting that is changed is undone once, done again once, saved, resumed and repeated, and nothing "
    "else is changed") {
    constexpr const char* kTyped =
        "du/dt = D*lap(u) - u*v\ndv/dt = 0.5*D*lap(v) + u*v - K*v\nD = 0.1 in [0, 0.2]; K = 0.05\n"
        "u(0) = 1 + 0.1*random; v(0) = 0.2*ind(x < 9); boundary = periodic; integrator = bs32; size = 37x29";
    std::map<std::string, std::string, std::less<>> values;
    for (const auto& [name, value] :
         pairs("size => 40x30 | model => heat | equation => du/dt = 0.1*lap(u); size = 37x29 | "
               "sensitivity => K | set => coefficient=0.15 | coefficient => 0.15 | K => 0.06 | "
               "dt => 0.25 | tolerance => 1e-3 | dx => 1.5 | integrator => heun | global-every => 2 | "
               "boundary => insulated | initial => gaussian:sigma=0.2 | seed => 8 | dtype => float64 | "
               "allow-unstable => true | allow-overflow => true | method => reference | threads => 3 | "
               "show => 2*u | colormap => magma | range => 0:2 | colors => u=magma,0:3 | "
               "range-per-frame => true | laplacian-colormap => magma | laplacian-range => 0:2 | "
               "unit-length => 2cm | unit-time => 3s | unit-value => K | contours => 4 | "
               "arrows => gradient | outline => false | surface => 10,20 | view => laplacian | "
               "figure-size => 9cm | wave-ring => true"))
        values[name] = value;
    // What the window has other actions for, or what is of the machine and its files.
    const std::vector<std::string> no_settings = items(
        "at | probe | profile | bookmark | steps | time | until | backend | every | checkpoint | "
        "export | memory-limit | fast");
    std::vector<std::string_view> names{"K"};
    for (const Setting& setting : settings()) names.push_back(setting.name);
    for (const bool typed : {false, true})
        for (const long long steps : {0, 3})
            for (const std::string_view name : names) {
                const Setting* row = setting_named(name);
                const bool given = values.contains(name);
                CAPTURE(typed, steps, name);
                if (!given) {
                    CHECK((std::ranges::find(no_settings, name) != no_settings.end() ||
                           (row && row->kind == SettingKind::parameter)));
                    continue;
                }
                const bool refused = name == "tolerance" || name == "sensitivity";  // of euler; no D
                if (typed ? name == "coefficient" || name == "initial" : !row || refused) continue;
                std::string value = values.find(name)->second;
                if (typed && name == "set") value = "K=0.06";
                SessionLab lab(typed ? run_of_text(kTyped) : small_run("cpu"));
                lab.see({Pane::now});
                lab.act(action::Step{steps});
                lab.set(typed ? "D" : "coefficient", "0.11");
                const auto state = [&] {
                    return std::tuple(
                        to_json(lab.run()).dump(), lab.now()->text, lab.now()->step, lab.cells());
                };
                const auto done = [&] { return lab.now()->history->done; };
                const auto before = state();
                const auto deeds = done();
                lab.set(std::string(name), value);
                const auto after = state();
                CHECK(after != before);
                CHECK(done().size() == deeds.size() + 1);
                for (int round = 0; round < 2; ++round) {
                    lab.act(action::Undo{});
                    CHECK(state() == before);
                    CHECK(done() == deeds);
                    CHECK(lab.now()->history->undone.size() == 1);
                    lab.act(action::Redo{});
                    CHECK(state() == after);
                    CHECK(done().size() == deeds.size() + 1);
                }
                require_saved_and_repeated(lab.session.simulation());
            }
    // By the option or by the text.
    for (const Setting& row : settings()) {
        if (!row.stated) continue;
        CAPTURE(row.name);
        const std::map<std::string_view, std::string> ends{
            {"steps", "70"}, {"time", "2.5"}, {"until", "mean(u) < 0.5"}};
        const std::string value =
            values.contains(row.name) ? values.find(row.name)->second : ends.at(row.name);
        const RunSpec before = spec_of_text("du/dt = D*lap(u); D = 0.1");
        const RunSpec by_option = with_setting(before, row.name, value);
        const RunSpec by_text = spec_of_text(fmt::format("{}; {} = {}", before.model->text, row.name, value));
        CHECK(by_text.model->equations->statements->value(row.name) == value);
        RunSpec same = by_text;
        same.model = before.model;
        CHECK(row.get(same) == row.get(by_option));
        if (row.kind == SettingKind::view) continue;
        CHECK(text_of_run(by_option) == fmt::format("{}\n{} = {}", before.model->text, row.name, value));
        CHECK(text_of_run(by_text) == by_text.model->text);
    }
}

TEST_CASE("Nothing of a run lives on in the next one, and undo brings all of it back") {
    const ScratchFolder folder;
    const auto text = folder / "mine.txt", spec = folder / "spec.json";
    write_bytes(text, "du/dt = 0.1*lap(u); u(0) = random; size = 20x10");
    write_bytes(spec, R"({"size": "24x17", "steps": 3})");
    for (const Action& next : {Action(action::Change{"model", "gray-scott-spots", false, true}),
                               Action(action::Open{"instability"}),
                               Action(action::Open{text.string()}),
                               Action(action::Open{spec.string()})}) {
        SessionLab lab(small_run());
        lab.see({Pane::laplacian});
        lab.act(action::Step{5});
        lab.act(action::StopAt{110});
        lab.set("allow-unstable", "true");
        lab.set("colormap", "magma");
        lab.set("range", "-1:2");
        lab.set("unit-length", "2cm");
        lab.set("contours", "0.5");
        lab.act(action::AddProbe{3, 4});
        const std::string before = to_json(lab.run()).dump();
        const auto series = lab.now()->series.size();
        lab.session.apply(next);
        lab.session.apply(action::Run{false});
        const auto begun = lab.now();
        CHECK_FALSE(begun->stop_at);
        const auto* open = std::get_if<action::Open>(&next);
        CHECK(begun->now.allow_unstable == (open && open->path == "instability"));
        CHECK(begun->now.colormap != "magma");
        CHECK(begun->now.unit_length == Unit());
        CHECK(begun->now.contours.empty());
        CHECK(begun->probes.empty());
        lab.see({Pane::now});
        lab.act(action::Undo{});
        CHECK(to_json(lab.run()).dump() == before);
        CHECK(lab.now()->stop_at == 110);
        CHECK(lab.now()->probes.size() == 1);
        CHECK(lab.now()->series.size() <= series + 1);
        REQUIRE(lab.now()->opened);
        CHECK(lab.now()->opened->panes == std::vector{Pane::laplacian});
    }
}

TEST_CASE("A session knows whether something was done in it but watching") {
    for (const Action& watching : {Action(action::Run{true}),
                                   Action(action::Step{3}),
                                   Action(action::Pace{5, 12}),
                                   Action(action::StopAt{3}),
                                   Action(action::Tell{"something"})}) {
        SessionLab lab(small_run());
        lab.session.apply(watching);
        CHECK_FALSE(lab.now()->worked_on);
    }
    for (const Action& doing : {Action(action::Change{"coefficient", "0.1"}),
                                Action(action::Change{"colormap", "magma"}),
                                Action(action::Paint{dab(3, 3)}),
                                Action(action::Jump{4}),
                                Action(action::SetBookmark{}),
                                Action(action::AddProbe{1, 1})}) {
        SessionLab lab(small_run());
        lab.act(doing);
        CHECK(lab.now()->worked_on);
    }
    SessionLab lab(small_run());
    lab.set("coefficient", "77");  // is refused
    CHECK_FALSE(lab.now()->worked_on);
}

TEST_CASE("Beyond the limit the run pauses once the field overflows, and says what to change") {
    RunSpec spec = small_run();
    spec.allow_unstable = true;
    spec.set_parameter("coefficient", 0.4);
    Session session(spec, standing());
    session.set_view(small_view_of(Pane::now));
    session.apply(action::Pace{50, 12});
    perform(session, action::Run{true});
    REQUIRE_FALSE(session.snapshot()->running);
    REQUIRE(contains(newest_message(session),
                     fmt::format("u is not finite at step {}", session.snapshot()->step)));
    REQUIRE(contains(newest_message(session), "dt 1 is 1.60 of the limit 0.625"));
}

TEST_CASE("A run that is opened brings how it is looked at, and what is refused does not") {
    Session session(small_run(), standing());
    const ScratchFolder folder;
    CHECK(session.snapshot()->opened == nullptr);
    RunSpec spec = small_run();
    spec.view = "three-up";
    spec.profiles = {{{1, 2}, {5, 6}}};
    spec.surface = {20, 50, 1, 2};
    write_text_file(folder / "spec.json", to_json(spec).dump());
    perform(session, action::Open{(folder / "spec.json").string()});
    const auto opened = session.snapshot()->opened;
    REQUIRE(opened);
    CHECK(opened->panes == three_up());
    CHECK(opened->profiles == spec.profiles);
    CHECK(opened->surface == spec.surface);
    session.apply(action::Open{"nowhere/spec.json"});
    CHECK(session.snapshot()->opened == opened);
    session.apply(action::Open{std::string(ready_runs()[0].name)});  // it runs on
    CHECK(session.snapshot()->opened != opened);
    CHECK(session.snapshot()->opened->panes == panes_of(ready_runs()[0].spec));
}

TEST_CASE("Another program's file is opened as a model, and another model's text, too") {
    Session session(small_run(), standing());
    const ScratchFolder folder;
    write_text_file(folder / "waves.json",
                    R"({"numSpecies": 1, "speciesNames": "h", "reactionStr_1": "1 - h"})");
    write_text_file(folder / "mine.txt", "dw/dt = 0.1*lap(w)");
    perform(session, action::Open{(folder / "waves.json").string()});
    REQUIRE(session.snapshot()->now.model->components.front().name == "h");
    perform(session, action::Open{(folder / "mine.txt").string()});
    REQUIRE(session.snapshot()->now.model->components.front().name == "w");
}

TEST_CASE("A session goes on from the checkpoint of another, bit for bit, and the way back stays") {
    const ScratchFolder folder;
    Session session(small_run(), standing());
    session.apply(action::Change{"coefficient", "0.137"});
    perform(session, action::Step{12});
    session.apply(action::Paint{dab(30, 20)});
    session.apply(action::SaveCheckpoint{folder.path().string()});
    finish_export(session);
    REQUIRE(contains(newest_message(session), "step 12"));
    perform(session, action::Step{9});

    Session other(small_run(), standing());
    const auto before = cells(other);
    other.apply(action::Resume{folder.path().string()});
    REQUIRE(other.snapshot()->step == 12);
    REQUIRE(other.snapshot()->now.parameter("coefficient") == 0.137);
    perform(other, action::Step{9});
    REQUIRE(cells(other) == cells(session));
    other.apply(action::Undo{});
    REQUIRE(cells(other) == before);
    other.apply(action::Resume{(folder / "nowhere").string()});
    REQUIRE(contains(newest_message(other), "no checkpoint"));
}

TEST_CASE("A drag of thousands of changes at one step is one edit, and what is seen shares the edits") {
    Session session(small_run(), standing());
    perform(session, action::Step{5});
    for (int i = 0; i < 5000; ++i)
        session.apply(action::Change{"coefficient", std::to_string(0.1 + 1e-5 * i), i > 0});
    REQUIRE(session.snapshot()->spec.edits.size() == 1);
    for (int i = 0; i < 3000; ++i)
        session.apply(action::Paint{i > 0 ? joined_dab(i % 61, i % 43) : dab(i % 61, i % 43)});
    const auto first = session.snapshot();
    session.apply(action::Pace{7, 12});
    const auto second = session.snapshot();
    REQUIRE(first != second);
    REQUIRE(second->spec.edits.size() == 3001);
    REQUIRE(first->spec.edits.begin() == second->spec.edits.begin());
    session.apply(action::Paint{joined_dab(1, 1)});
    REQUIRE(session.snapshot()->spec.edits.begin() == second->spec.edits.begin());
    REQUIRE(second->spec.edits.size() == 3001);
}
