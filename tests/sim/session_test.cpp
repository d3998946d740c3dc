#include "sim/session/session.h"

#include <fmt/format.h>

#include "sim/files/atomic_file.h"
#include "sim/files/npy.h"
#include "sim/model/equations.h"
#include "sim/problem/ready_runs.h"
#include "sim/problem/run_text.h"
#include "sim/run/output/measures.h"
#include "sim/session/engine/engine.h"
#include "sim/session/pace.h"
#include "tests/support/fake_ffmpeg.h"
#include "tests/support/session_lab.h"

namespace {

RunSpec small_spec(const std::string& method = "auto") {
    return noise_run({61, 43}, method);
}

ViewRequest view_of(Pane pane) {
    return stencil_test::view_of({pane}, {61, 43});
}

// Waits for the thread that writes files.
void finish_export(Session& session) {
    while (session.snapshot()->exporting) {
        session.work();
        std::this_thread::yield();
    }
}

std::vector<float> cells(Session& session) {
    const Field field = session.simulation().field().to(DType::float32);
    const auto all = field.as<float>().cells();
    return {all.begin(), all.end()};
}

BrushPiece joined_dab(double x, double y) {
    BrushPiece piece = dab(x, y);
    piece.x1 += 8;
    piece.joined = true;
    return piece;
}

}  // namespace

TEST_CASE("A frame shows the field as it is, cell by cell") {
    Session session(small_spec(), standing());
    session.set_view(view_of(Pane::now));
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
    RunSpec spec = small_spec();
    spec.size = Size{1200, 1100};  // percentiles take longer than some steps
    spec.range = {RangeRule::Kind::percentile, 3, 95};
    SessionOptions options = running();
    options.steps_per_frame = 1;
    Session session(spec, options);
    session.set_view(view_of(Pane::now));
    for (int i = 0; i < 3; ++i) turn(session);
    ViewRequest view = view_of(Pane::now);
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
    Session session(small_spec(), standing());
    ViewRequest view = view_of(Pane::now);
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
    Session session(small_spec(), standing());
    const auto first = cells(session);
    session.apply(action::Change{"coefficient", "0.1"});
    session.apply(action::Step{40});
    session.apply(action::Change{"boundary", "insulated"});
    session.apply(action::Paint{dab(20, 20)});
    perform(session, action::Step{23});
    const auto now = cells(session);
    const auto pixels = [&](Pane pane) {
        session.set_view(view_of(pane));
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
    Session session(small_spec(), standing());
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
    Session session(small_spec(), standing());
    for (int i = 0; i < 3; ++i) session.apply(action::Step{});
    session.apply(action::Change{"size", "80x50"});
    perform(session, action::Step{});
    REQUIRE(session.snapshot()->step == 4);
    const auto edits = session.snapshot()->spec.edits;
    REQUIRE(edits.size() == 1);
    REQUIRE(edits.begin()->step == 3);
}

TEST_CASE("A running session makes one frame for every so many steps, and waits until it is taken") {
    Session session(small_spec(), standing());
    session.set_view(view_of(Pane::now));
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

TEST_CASE("The pace is doubled and halved as often as it is said, however late it is heard") {
    Session session(small_spec(), standing());
    session.apply(action::Pace{6, 12});
    for (const double factor : {2.0, 2.0, 2.0, 0.5}) session.apply(action::ScalePace{factor});
    REQUIRE(session.snapshot()->steps_per_frame == 24);
    for (int i = 0; i < 7; ++i) session.apply(action::ScalePace{0.5});
    REQUIRE(session.snapshot()->steps_per_frame == 1);
}

TEST_CASE("Undo and redo go through strokes, settings and starts, bit by bit") {
    Session session(small_spec(), standing());
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
    Session session(small_spec(), standing());
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
    Session session(small_spec(), standing());
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
    Session session(small_spec(), standing());
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
    RunSpec spec = small_spec();
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
                SessionLab lab(typed ? run_of_text(kTyped) : small_spec("cpu"));
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
        SessionLab lab(small_spec());
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
        SessionLab lab(small_spec());
        lab.session.apply(watching);
        CHECK_FALSE(lab.now()->worked_on);
    }
    for (const Action& doing : {Action(action::Change{"coefficient", "0.1"}),
                                Action(action::Change{"colormap", "magma"}),
                                Action(action::Paint{dab(3, 3)}),
                                Action(action::Jump{4}),
                                Action(action::SetBookmark{}),
                                Action(action::AddProbe{1, 1})}) {
        SessionLab lab(small_spec());
        lab.act(doing);
        CHECK(lab.now()->worked_on);
    }
    SessionLab lab(small_spec());
    lab.set("coefficient", "77");  // is refused
    CHECK_FALSE(lab.now()->worked_on);
}

TEST_CASE("Beyond the limit the run pauses once the field overflows, and says what to change") {
    RunSpec spec = small_spec();
    spec.allow_unstable = true;
    spec.set_parameter("coefficient", 0.4);
    Session session(spec, standing());
    session.set_view(view_of(Pane::now));
    session.apply(action::Pace{50, 12});
    perform(session, action::Run{true});
    REQUIRE_FALSE(session.snapshot()->running);
    REQUIRE(contains(newest_message(session),
                     fmt::format("u is not finite at step {}", session.snapshot()->step)));
    REQUIRE(contains(newest_message(session), "dt 1 is 1.60 of the limit 0.625"));
}

TEST_CASE("Exports replace nothing, unless told to: the next one has a folder of its own") {
    const ScratchFolder folder;
    RunSpec spec = small_spec();
    spec.initial.clear();
    spec.use_model(find_model("gray-scott"));
    Session session(spec, standing());
    settle(session);
    const auto export_to = [&](const std::string& name, bool replace = false) {
        session.apply(action::Export{(folder / name).string(), {"field.npy", "spec.json"}, replace});
        finish_export(session);
        return session.snapshot()->messages.back().folder;
    };
    const auto written = [&](const char* name) { return read_bytes(folder / name / "field-v.npy"); };
    REQUIRE(export_to("out") == (folder / "out").string());
    const std::string first = written("out");
    perform(session, action::Step{5});
    REQUIRE(export_to("out") == (folder / "out-2").string());
    REQUIRE(export_to("out/") == (folder / "out-3").string());
    REQUIRE(written("out") == first);
    REQUIRE(written("out-2") != first);
    REQUIRE(export_to("out", true) == (folder / "out").string());
    REQUIRE(written("out") != first);
}

TEST_CASE("A table that there is nothing for is left out of an export, which says so") {
    const ScratchFolder folder;
    Session session(small_spec(), standing());
    settle(session);
    session.apply(action::Export{(folder / "out").string(), {"field.npy", "profile.csv", "probes.csv"}});
    finish_export(session);
    REQUIRE(std::filesystem::exists(folder / "out" / "field.npy"));
    REQUIRE_FALSE(std::filesystem::exists(folder / "out" / "profile.csv"));
    REQUIRE(contains(newest_message(session), "profile.csv"));
    REQUIRE(contains(newest_message(session), "probes.csv"));
}

TEST_CASE("A figure of the view has the panes on the canvas, and is left out for those of other runs") {
    const ScratchFolder folder;
    Session session(small_spec(), standing());
    const auto exported = [&](Pane pane, const char* name) {
        session.set_view(view_of(pane));
        settle(session);
        session.apply(action::Export{(folder / name).string(), {"view.svg", "spec.json"}});
        finish_export(session);
        return std::filesystem::exists(folder / name / "view.svg") ? read_bytes(folder / name / "view.svg")
                                                                   : "";
    };
    CHECK_FALSE(contains(exported(Pane::now, "now"), "Laplacian"));
    CHECK(contains(exported(Pane::laplacian, "laplacian"), "Laplacian of u"));
    CHECK(read_spec((folder / "laplacian/spec.json").string()).view == "laplacian");
    session.apply(action::SetBookmark{});
    CHECK(exported(Pane::from_bookmark, "bookmark").empty());
    CHECK(contains(newest_message(session), "only for the canvas"));
    CHECK(read_spec((folder / "bookmark/spec.json").string()).view.empty());
}

TEST_CASE("A long jump is done at once where the method is auto, and its spec repeats it bit for bit") {
    Session session(small_spec(), standing());
    session.set_view(view_of(Pane::now));
    perform(session, action::Step{30});
    const std::string stepping = session.snapshot()->now.method;
    perform(session, action::Jump{100'000'000'000});
    const auto snapshot = session.snapshot();
    REQUIRE(snapshot->step == 100'000'000'000);
    REQUIRE(snapshot->now.method == stepping);
    REQUIRE(snapshot->auto_method);
    REQUIRE(contains(newest_message(session), "spectral"));

    Session other(small_spec(), standing());
    const ScratchFolder folder;
    write_text_file(folder / "spec.json", to_json(snapshot->spec).dump());
    perform(other, action::Open{(folder / "spec.json").string()});
    REQUIRE(other.snapshot()->step == 100'000'000'000);
    REQUIRE(cells(other) == cells(session));
}

TEST_CASE("A run that is opened brings how it is looked at, and what is refused does not") {
    Session session(small_spec(), standing());
    const ScratchFolder folder;
    CHECK(session.snapshot()->opened == nullptr);
    RunSpec spec = small_spec();
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
    Session session(small_spec(), standing());
    const ScratchFolder folder;
    write_text_file(folder / "waves.json",
                    R"({"numSpecies": 1, "speciesNames": "h", "reactionStr_1": "1 - h"})");
    write_text_file(folder / "mine.txt", "dw/dt = 0.1*lap(w)");
    perform(session, action::Open{(folder / "waves.json").string()});
    REQUIRE(session.snapshot()->now.model->components.front().name == "h");
    perform(session, action::Open{(folder / "mine.txt").string()});
    REQUIRE(session.snapshot()->now.model->components.front().name == "w");
}

TEST_CASE(
    "A jump goes at once or by steps as it is asked to, and the method that was asked for steps again") {
    Session session(small_spec("cpu"), standing());
    perform(session, action::Step{30});
    perform(session, action::Jump{200, true});
    REQUIRE(session.snapshot()->step == 200);
    REQUIRE(session.snapshot()->now.method == "cpu");
    REQUIRE_FALSE(session.snapshot()->auto_method);
    REQUIRE(contains(newest_message(session), "spectral"));
    const auto at_once = cells(session);

    Session other(small_spec("cpu"), standing());
    perform(other, action::Jump{200, false});
    REQUIRE(other.snapshot()->messages.empty());
    REQUIRE(other.snapshot()->spec.edits.empty());
    const auto by_steps = cells(other);
    REQUIRE(at_once != by_steps);
    for (std::size_t i = 0; i < at_once.size(); ++i) REQUIRE(at_once[i] == Approx(by_steps[i]).margin(1e-5));
}

TEST_CASE("Cancel ends an order, and the suite without stopping the run beneath it") {
    Session session(small_spec("reference"), standing());
    session.set_view(view_of(Pane::now));
    settle(session);
    session.apply(action::Jump{100'000'000});
    for (int i = 0; i < 5; ++i) session.work();
    REQUIRE(session.snapshot()->ordered);
    perform(session, action::Cancel{});
    REQUIRE_FALSE(session.snapshot()->ordered);
    REQUIRE(session.snapshot()->step < 100'000'000);
    session.apply(action::Run{true});
    session.apply(action::MeasureSuite{});
    session.work();
    REQUIRE(session.snapshot()->measuring_suite);
    session.apply(action::Cancel{});
    REQUIRE_FALSE(session.snapshot()->measuring_suite);
    REQUIRE(session.snapshot()->running);
}

TEST_CASE("An export that is cancelled writes no further file, and says how many it left") {
    const ScratchFolder folder;
    Session session(small_spec(), standing());
    ExportOrder order;
    order.folder = folder / "out";
    order.output = run_output(session.simulation());
    order.output.now.exports = {"field.npy", "spec.json"};
    WriteProgress progress;
    progress.cancelled = true;
    const ExportOutcome outcome = order.write(progress);
    REQUIRE(progress.all == 2);
    REQUIRE(progress.done == 0);
    REQUIRE(std::filesystem::is_empty(folder / "out"));
    REQUIRE(contains(outcome.text, "stopped"));
}

TEST_CASE("A session goes on from the checkpoint of another, bit for bit, and the way back stays") {
    const ScratchFolder folder;
    Session session(small_spec(), standing());
    session.apply(action::Change{"coefficient", "0.137"});
    perform(session, action::Step{12});
    session.apply(action::Paint{dab(30, 20)});
    session.apply(action::SaveCheckpoint{folder.path().string()});
    finish_export(session);
    REQUIRE(contains(newest_message(session), "step 12"));
    perform(session, action::Step{9});

    Session other(small_spec(), standing());
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
    Session session(small_spec(), standing());
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

TEST_CASE("A film of a session has a frame at every multiple of its step, and is told of with its folder") {
    const FakeFfmpeg fake(kKeepsFrames);
    const ScratchFolder folder;
    Session session(noise_run({8, 6}), standing());
    session.apply(action::Record{folder.path().string(), 5, true, false, ".gif"});
    perform(session, action::Step{12});
    CHECK(session.snapshot()->recording == (folder / "film.gif").string());
    CHECK(session.snapshot()->recorded == 3);
    session.apply(action::Record{});
    CHECK(session.snapshot()->recording.empty());
    const Message told = session.snapshot()->messages.back();
    CHECK(contains(told.text, "Recorded 3 frames"));
    CHECK(told.folder == folder.path().string());
    CHECK(read_bytes(folder / "film.gif").size() == 3 * 8 * 6 * 3);
    session.apply(action::Record{folder.path().string(), 5, true, false, ".avi"});
    CHECK(contains(session.snapshot()->messages.back().text, ".webm"));
    CHECK(session.snapshot()->recording.empty());
}

TEST_CASE("A film from the start is that of run --video, whatever was done on the way") {
    const FakeFfmpeg fake(kKeepsFrames);
    const ScratchFolder folder;
    Session session(noise_run({8, 6}), standing());
    perform(session, action::Step{7});
    session.apply(action::Change{"coefficient", "0.125"});
    session.apply(action::Paint{dab(3, 3)});
    perform(session, action::Step{13});
    action::Film order{folder.path().string(), ".gif"};
    order.choices.seconds = 0.5;
    order.choices.fps = 10;
    const std::vector<float> before = cells(session);
    session.apply(order);
    CHECK(session.snapshot()->exporting);
    CHECK(contains(session.snapshot()->export_doing, "film.gif"));
    finish_export(session);
    CHECK(contains(newest_message(session), "Made a film of 5 frames"));
    CHECK(cells(session) == before);

    Simulation again = begun(session.simulation().spec());
    FilmRequest request = order.choices;
    request.file = folder / "again.gif";
    FilmWriter film(request, film_pace(request, {0}, {20}, 0));
    film.look(again);
    while (again.step() < 20) {
        again.apply(Advance{1});
        film.look(again);
    }
    film.finish();
    CHECK(read_bytes(folder / "again.gif") == read_bytes(folder / "film.gif"));
    CHECK(read_bytes(folder / "film.gif").size() == 5 * 8 * 6 * 3);

    order.ending = ".avi";
    session.apply(order);
    CHECK(contains(newest_message(session), ".webm"));
    CHECK_FALSE(session.snapshot()->exporting);
}

TEST_CASE("A recording of so many seconds ends by itself") {
    const FakeFfmpeg fake(kKeepsFrames);
    const ScratchFolder folder;
    Session session(noise_run({8, 6}), standing());
    action::Record order{folder.path().string(), 5, true, false, ".gif"};
    order.choices.seconds = 0.4;
    order.choices.fps = 5;
    order.choices.range = "0:1";
    session.apply(order);
    perform(session, action::Step{100});
    CHECK(session.snapshot()->recording.empty());
    CHECK(contains(newest_message(session), "Recorded 2 frames"));
    CHECK(read_bytes(folder / "film.gif").size() == 2 * 8 * 6 * 3);
}

TEST_CASE("A recording has a frame at every multiple of its step, whatever the pace, and says where") {
    const ScratchFolder folder;
    Session session(small_spec(), standing());
    session.apply(action::Record{folder.path().string(), 10, false, true});
    perform(session, action::Jump{35});
    session.apply(action::Record{});
    REQUIRE(session.snapshot()->recording.empty());
    REQUIRE(contains(newest_message(session), "Recorded 4 files"));
    REQUIRE(session.snapshot()->messages.back().folder == (folder / "frames").string());
    for (const int step : {0, 10, 20, 30})
        REQUIRE(std::filesystem::exists(folder / "frames" / fmt::format("field_{:06}.npy", step)));
    REQUIRE(std::distance(std::filesystem::directory_iterator(folder / "frames"), {}) == 4);
}

TEST_CASE(
    "A recording goes on in another folder where the run begins anew, and every file keeps its picture") {
    const ScratchFolder folder;
    const std::filesystem::path runs = folder / "runs";
    const auto files_in = [](const std::filesystem::path& of) {
        return std::distance(std::filesystem::directory_iterator(of), {});
    };
    Session session(run_of_text("du/dt = v; dv/dt = -u; u(0) = 1; size = 8x8; dt = 0.1; show = v"),
                    standing());
    session.apply(action::Record{runs.string(), 10});
    perform(session, action::Step{25});  // steps 0, 10, 20
    perform(session, action::Reset{});
    perform(session, action::Step{15});  // step 10
    session.apply(action::Change{"model", "heat", false, true});
    perform(session, action::Step{20});  // steps 10, 20
    perform(session, action::Undo{});
    CHECK(session.snapshot()->recorded == 6 + 2 + 2);
    session.apply(action::Record{});
    const std::string told = newest_message(session);
    CHECK(contains(told, "Recorded 10 files to " + (runs / "frames").string()));
    CHECK(contains(told, "/runs-2/frames, "));
    CHECK(contains(told, "field_*.png"));
    CHECK(files_in(runs / "frames") == 6);
    CHECK(files_in(folder / "runs-2/frames") == 2);
    CHECK(files_in(folder / "runs-3/frames") == 2);
    session.apply(action::Record{runs.string(), 10});
    session.apply(action::Record{});
    CHECK(contains(newest_message(session), "field-v_*.png"));
}

TEST_CASE("Probes, profile and histogram follow the field and go to CSV") {
    const ScratchFolder folder;
    Session session(small_spec(), standing());
    session.apply(action::AddProbe{7, 9});
    ViewRequest view = view_of(Pane::now);
    view.hover = SamplePoint{3.5, 4.5};
    view.profiles = {ProfileLine{{0.5, 0.5}, {60.5, 0.5}}, ProfileLine{{3.5, 0.5}, {3.5, 20.5}}};
    view.numbers = CellBlock{2, 3, 4, 5};
    view.histogram_bins = 32;
    session.set_view(view);
    settle(session);
    perform(session, action::Step{8});
    const auto snapshot = session.snapshot();
    const auto field = cells(session);
    const auto at = [&](int x, int y) { return double(field[std::size_t(y * 61 + x)]); };
    REQUIRE(snapshot->probes.at(0).steps == std::vector<long long>{0, 8});
    REQUIRE(snapshot->probes.at(0).values.back() == at(7, 9));
    const Frame& frame = *snapshot->frame;
    REQUIRE(frame.hover_value == at(3, 4));
    REQUIRE(frame.profiles.at(0).values.size() == 61);
    REQUIRE(frame.profiles.at(0).values.at(60) == Approx(at(60, 0)));
    REQUIRE(frame.profiles.at(1).values.at(20) == Approx(at(3, 20)));
    REQUIRE(snapshot->spec.profiles == view.profiles);
    REQUIRE(frame.numbers->values.at(4 * 4 + 3) == at(5, 7));
    std::uint64_t counted = 0;
    for (const auto count : frame.histogram->counts) counted += count;
    REQUIRE(counted == field.size());
    REQUIRE(snapshot->series.back().step == 8);
    session.apply(action::ExportMeasures{folder.path().string()});
    for (const char* name : {"statistics.csv", "probes.csv", "profile.csv", "histogram.csv"})
        REQUIRE(read_bytes(folder / name).size() > 20);
    REQUIRE(contains(read_bytes(folder / "probes.csv"), fmt::format("1,7,9,8,8,{}", at(7, 9))));
}

TEST_CASE("auto stays asked for until another method is, and is undone as what it was") {
    Session session(small_spec(), standing());
    settle(session);
    REQUIRE(session.snapshot()->auto_method);
    REQUIRE(session.snapshot()->now.method == "cpu");
    perform(session, action::Step{5});
    const auto before = cells(session);
    session.apply(action::Change{"method", "reference"});
    REQUIRE_FALSE(session.snapshot()->auto_method);
    REQUIRE(session.snapshot()->now.method == "reference");
    REQUIRE(cells(session) == before);
    session.apply(action::Undo{});
    REQUIRE(session.snapshot()->auto_method);
    REQUIRE(session.snapshot()->now.method == "cpu");
    session.apply(action::Redo{});
    REQUIRE_FALSE(session.snapshot()->auto_method);
    session.apply(action::Change{"method", "auto"});
    REQUIRE(session.snapshot()->auto_method);
    REQUIRE(cells(session) == before);
    // Changing size and initial condition keeps it.
    session.apply(action::Change{"size", "30x20"});
    session.apply(action::Change{"initial", "gaussian"});
    REQUIRE(session.snapshot()->auto_method);
    REQUIRE(newest_message(session).empty());
}

TEST_CASE("A method that was asked for stays, whatever the pace, and so does one that a run's edit brings") {
    RunSpec spec = small_spec("reference");
    const auto run_frames = [](Session& session, std::uint64_t frames) {
        while (!session.snapshot()->frame || session.snapshot()->frame->count < frames) turn(session);
    };
    Session manual(spec, running());
    manual.apply(action::Pace{1000, 12});
    run_frames(manual, 12);
    REQUIRE(manual.snapshot()->now.method == "reference");
    REQUIRE(manual.snapshot()->spec.edits.empty());
    spec.method = "auto";
    spec.edits = {{3, SetSetting{"method", "reference"}}};
    Session edited(spec, running());
    edited.apply(action::Pace{1000, 12});
    run_frames(edited, 12);
    REQUIRE(edited.snapshot()->now.method == "reference");
    REQUIRE_FALSE(edited.snapshot()->auto_method);
}

TEST_CASE("The suite of methods is measured while the run stands still, and leaves the field as it was") {
    Session session(small_spec(), running());
    session.work();
    const auto before = cells(session);
    const long long step = session.snapshot()->step;
    session.apply(action::MeasureSuite{});
    REQUIRE(session.snapshot()->measuring_suite);
    REQUIRE_FALSE(session.snapshot()->running);
    for (int pieces = 0; session.snapshot()->measuring_suite; ++pieces) {
        REQUIRE(pieces < 100000);
        REQUIRE(session.snapshot()->step == step);
        REQUIRE(contains(session.snapshot()->busy, "measuring"));
        REQUIRE(cells(session) == before);
        session.work();
    }
    REQUIRE(session.snapshot()->running);
    const auto speeds = session.snapshot()->speeds;
    for (const Method& method : methods()) {
        if (method.device != Device::cpu) continue;
        INFO(method.name);
        const auto found = std::ranges::find(speeds, &method, &MethodSpeed::method);
        REQUIRE(found != speeds.end());
        REQUIRE((method.jumps ? found->jump_seconds : found->gcells_per_s) > 0);
        REQUIRE(found->edge == Approx(std::sqrt(61.0 * 43)));
        REQUIRE(found->error.value() <= 1e-4);
    }
    // Another action ends it and keeps the results.
    session.apply(action::MeasureSuite{});
    session.work();
    session.apply(action::Step{1});
    REQUIRE_FALSE(session.snapshot()->measuring_suite);
    settle(session);
    REQUIRE(session.snapshot()->step == step + 1);
    REQUIRE(session.snapshot()->speeds.size() >= speeds.size());
}

TEST_CASE("A run's own speeds are kept for each method and size") {
    Session session(small_spec(), running());
    session.apply(action::Pace{50, 12});
    const auto run_until = [&](std::size_t speeds) {
        for (int i = 0; session.snapshot()->speeds.size() < speeds; ++i) {
            REQUIRE(i < 100000);
            turn(session);
        }
    };
    run_until(1);
    session.apply(action::Change{"method", "reference"});
    run_until(2);
    const auto speeds = session.snapshot()->speeds;
    REQUIRE(speeds[0].method->name == "cpu");
    REQUIRE(speeds[1].method->name == "reference");
    REQUIRE(speeds[1].gcells_per_s > 0);
    session.apply(action::Change{"dtype", "float64"});
    REQUIRE(session.snapshot()->speeds.empty());
}

TEST_CASE("The copy bandwidth is measured in pieces between frames, and never while it is not asked for") {
    Session without(small_spec(), standing());
    settle(without);
    REQUIRE(without.snapshot()->limits.copy_gb_per_s == 0);
    SessionOptions options = running();
    options.measure_limits = true;
    Session session(small_spec(), options);
    session.apply(action::Pace{3, 12});
    int pieces = 0;
    while (session.snapshot()->limits.copy_gb_per_s == 0) {
        const auto before = session.snapshot()->step;
        turn(session);
        REQUIRE(session.snapshot()->step <= before + 3);
        REQUIRE(++pieces < 10000);
    }
    REQUIRE(session.snapshot()->limits.copy_gb_per_s > 0.1);
    REQUIRE(session.snapshot()->step > 3 * 7);
    // The instruction rate is measured next, and is another in another precision.
    const auto wait_for_rate = [&] {
        while (session.snapshot()->limits.instructions_per_second == 0) {
            turn(session);
            REQUIRE(++pieces < 20000);
        }
    };
    wait_for_rate();
    session.apply(action::Change{"dtype", "float64"});
    REQUIRE(session.snapshot()->limits.instructions_per_second == 0);
    REQUIRE(session.snapshot()->limits.copy_gb_per_s > 0.1);
    wait_for_rate();
}

TEST_CASE("Paces follow the cost of a step, in whole passes of the method") {
    REQUIRE(slice_steps({0, 12}) > 0);
    REQUIRE(slice_steps({1e-3, 12}) == 24);
    REQUIRE(slice_steps({5e-3, 12}) == 12);
    REQUIRE(slice_steps({1.0, 12}) == 1);
    REQUIRE(paced_steps({1e-3, 1}, 12, 11) == 11);   // within the hysteresis
    REQUIRE(paced_steps({1e-4, 1}, 12, 10) == 20);   // at most doubles
    REQUIRE(paced_steps({1e-3, 1}, 12, 100) == 12);  // but decreases at once
    REQUIRE(paced_steps({10.0, 12}, 12, 5) == 1);
    // A beginning is neither hurried through nor stands still, until a pace is chosen.
    for (const double seconds_per_step : {1e-9, 10.0}) {
        Pace pace;
        pace.most_auto = 20;
        const auto batch = [&] {
            for (int i = 0; i < 10; ++i) pace.begin_batch(0, {seconds_per_step, 1});
            return pace.target;
        };
        REQUIRE(batch() == (seconds_per_step < 1 ? 20 : 10));
        pace.set(0, 12, 0);
        REQUIRE((seconds_per_step < 1 ? batch() > 1000 : batch() == 1));
    }
}

TEST_CASE("An engine steps on its own thread while others ask and act") {
    std::atomic<int> news = 0;
    Engine engine(small_spec(), running(), [&] { ++news; });
    std::uint64_t last = 0;
    long long furthest = 0;
    // Counts frames, because undo lowers the step; requests grow slowly, so as not to overload the machine.
    for (int frames = 0; frames < 100; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
        engine.check();
        const auto snapshot = engine.snapshot();
        if (!snapshot || !snapshot->frame || snapshot->frame->count == last) continue;
        last = snapshot->frame->count;
        furthest = std::max(furthest, snapshot->frame->step);
        REQUIRE(snapshot->frame->panes.size() <= 1);
        engine.frame_taken(last);
        const int i = ++frames;
        engine.see(stencil_test::view_of({i % 2 ? Pane::now : Pane::laplacian}, {30 + i % 7, 20}));
        if (i % 2 == 0) engine.send({action::Paint{dab(i % 60, i % 40)}});
        if (i % 7 == 0) engine.send({action::Undo{}});
        if (i % 5 == 0) engine.send({action::Change{"coefficient", i % 2 ? "0.1" : "0.2"}});
    }
    REQUIRE(news > 5);
    REQUIRE(furthest > 0);
    // Once it is up to date, the snapshot shows what the last action did.
    engine.send({action::Tell{"the last one"}});
    while (!engine.is_up_to_date()) std::this_thread::yield();
    CHECK(engine.snapshot()->messages.back().text == "the last one");
}

TEST_CASE("An engine answers while a step takes long, and can be left in the middle of one") {
    RunSpec spec = small_spec("reference");
    spec.size = Size{2000, 2000};
    Engine engine(spec, running(), [] {});
    engine.see(view_of(Pane::now));
    long long step = -1;
    int answers = 0, most = 0;
    for (int frames = 0; frames < 4; ++answers) {
        engine.check();
        const auto snapshot = engine.snapshot();
        if (!snapshot || !snapshot->frame) continue;
        engine.frame_taken(snapshot->frame->count);
        if (snapshot->frame->step == step) continue;
        step = snapshot->frame->step;
        if (frames++ > 0) most = std::max(most, answers);
        answers = 0;
    }
    REQUIRE(most > 100);
}

TEST_CASE("An engine that cannot begin says why") {
    RunSpec spec = small_spec();
    spec.initial = "nothing-like-it.npy";
    Engine engine(spec, standing(), [] {});
    std::string why;
    while (why.empty()) {
        why = input_error([&] { engine.check(); });
        std::this_thread::yield();
    }
    REQUIRE(contains(why, "nothing-like-it.npy"));
}

TEST_CASE("An initial field that is cut while it is made changes nothing, not even what can be undone") {
    bool cut = false;
    SessionOptions options = standing();
    options.cut = [&cut] { return cut; };
    Session session(small_spec(), options);
    session.set_view(view_of(Pane::now));
    session.apply(action::Step{5});
    settle(session);
    const auto before = cells(session);
    cut = true;
    session.apply(action::Change{"initial", "jagged"});
    REQUIRE(contains(newest_message(session), "Stopped"));
    const auto snapshot = session.snapshot();
    REQUIRE(snapshot->now.initial == "noise");
    REQUIRE(snapshot->step == 5);
    REQUIRE(snapshot->can_undo.empty());
    REQUIRE(snapshot->busy.empty());
    REQUIRE(cells(session) == before);
    cut = false;
    session.apply(action::Change{"initial", "jagged"});
    REQUIRE(session.snapshot()->now.initial == "jagged");
}

TEST_CASE("An engine that makes a slow field says so, and leaves it when it is stopped") {
    RunSpec spec = small_spec();
    spec.size = Size{1, 1000003};  // a prime: a transform takes seconds
    Engine engine(spec, standing(), [] {});
    const auto wait_until = [&](auto&& seen) {
        while (!engine.snapshot() || !seen(*engine.snapshot())) {
            engine.check();
            std::this_thread::yield();
        }
    };
    wait_until([](const Snapshot&) { return true; });
    engine.send({action::Change{"initial", "jagged"}});
    wait_until([](const Snapshot& now) { return now.busy.find("making") != now.busy.npos && now.ordered; });
    engine.send({action::Run{false}});
    wait_until([](const Snapshot& now) { return !now.messages.empty() || now.now.initial == "jagged"; });
    REQUIRE(engine.snapshot()->now.initial == "noise");
    REQUIRE(contains(engine.snapshot()->messages.back().text, "Stopped"));
}
