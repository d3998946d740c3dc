#include "sim/problem/run_spec.h"

#include <fmt/format.h>

#include "sim/problem/panes.h"
#include "sim/problem/ready_runs.h"
#include "sim/problem/run_text.h"
#include "sim/run/output/exports.h"
#include "tests/support/program.h"
#include "tests/support/runs.h"

namespace {

std::string refusal(const char* name, const char* text) {
    return input_error([&] {
        RunSpec spec;
        find_setting(name).set(spec, text);
        spec.validate();
    });
}

}  // namespace

TEST_CASE("A spec survives its JSON unchanged") {
    const RunSpec spec = spec_with(
        "size=123x45 steps=77 coefficient=0.1234567890123 boundary=periodic dtype=float64 "
        "initial=gaussian:sigma=0.3 seed=18446744073709551615 method=reference backend=cpu threads=3 "
        "every=10 export=field.npy,frames.npy colormap=turbo_r range=symlog:-1:2.5 "
        "laplacian-range=percentile:1:99.5 contours=-0.5,1e-3 outline=false range-per-frame=true "
        "laplacian-colormap=coolwarm");
    const std::string json = to_json(spec).dump();
    const RunSpec again = spec_from_json(json, "spec.json");
    REQUIRE(to_json(again).dump() == json);
    REQUIRE(again.size == Size{123, 45});
    REQUIRE(again.parameter("coefficient") == 0.1234567890123);
    REQUIRE(again.seed == 18446744073709551615u);
    REQUIRE(again.exports == std::vector<std::string>{"field.npy", "frames.npy"});
    REQUIRE(again.range_per_frame);
    REQUIRE_FALSE(again.outline);
}

TEST_CASE("A formula has colours of its own, by whichever way it comes to be shown") {
    const std::string text = "du/dt = -u; dv/dt = u - v; total = u + v; colormap = ice";
    RunSpec spec;
    const auto word = [](std::string_view name, const std::string& value) {
        return std::pair(&find_setting(name), value);
    };
    set_all(spec,
            {word("colors", "u + v >= 1=magma,log:1e-4:1"),
             word("colors", "v=,0:1"),
             word("range", "centred"),
             word("equation", text),
             word("colors", "total=vik_r")});
    const auto seen = [](const RunSpec& s, const std::string& formula) {
        RunSpec shown = s;
        set_setting(shown, "show", formula);
        return fmt::format("{} {}", colormap_of(Pane::now, shown), to_string(rule_of(Pane::now, shown)));
    };
    const auto expect = [&](const RunSpec& s) {
        CHECK(seen(s, "u") == "ice centred");
        CHECK(seen(s, "v") == "ice 0:1");
        CHECK(seen(s, "total") == "vik_r auto");
        CHECK(seen(s, "u + v >= 1") == "magma log:0.0001:1");
    };
    expect(spec);
    const std::string json = to_json(spec).dump();
    const RunSpec again = spec_from_json(json, "spec.json");
    expect(again);
    CHECK(to_json(again).dump() == json);
    CHECK(contains(command_text(spec), "--colors v=,0:1"));
    // Colours beside a saved run are those of what is shown, and the others stay.
    RunSpec other = again;
    set_all(other, {word("colormap", "grey"), word("range", "2:3"), word("show", "total")});
    CHECK(seen(other, "total") == "grey 2:3");
    CHECK(seen(other, "u") == "ice centred");
    // As in a session: what is shown no more keeps its colours, and what is new has the present ones.
    RunSpec session;
    set_setting(session, "equation", text);
    session = with_setting(session, "colormap", "grey");
    CHECK(!contains(to_json(with_setting(session, "show", "v")).dump(), "colors"));
    session = with_setting(with_setting(session, "show", "v"), "range", "0:4");
    session = with_setting(with_setting(session, "show", "u^2"), "colormap", "magma");
    CHECK(seen(session, "u") == "grey auto");
    CHECK(seen(session, "v") == "grey 0:4");
    CHECK(seen(session, "u^2") == "magma 0:4");
    CHECK(seen(spec_from_json(to_json(session).dump(), "spec.json"), "u") == "grey auto");
    for (const std::string& bad :
         items("v=,,2 | v=,0:1,a=b | v=,0:1,K,2 | v | =magma | v=magma,1 | v=magma,0:1,2 | v=magmo | "
               "w=magma | v=magma=")) {
        INFO(bad);
        RunSpec wrong = spec;
        CHECK(!input_error([&] { set_all(wrong, {word("colors", bad)}); }).empty());
    }
}

TEST_CASE("A unit belongs to the formula that was shown when it was given, or to the one that is named") {
    RunSpec spec;
    set_setting(spec, "equation", "du/dt = -u; dv/dt = u - v");
    const auto labels = [](const RunSpec& s) {
        return value_label(s, "u") + ", " + value_label(s, "v") + ", " + quantity_label(Pane::from_start, s);
    };
    set_all(spec, {{&find_setting("unit-value"), "K"}, {&find_setting("colors"), "v=,,mol/L"}});
    CHECK(labels(spec) == "u (K), v (mol/L), difference (K)");
    CHECK(quantity_label(Pane::laplacian, spec) == "Laplacian of u");
    for (const char* shown : {"v", "u^2", "u"}) {
        spec = with_setting(spec, "show", shown);
        CHECK(value_label(spec, "u") == "u (K)");
        CHECK(value_label(spec, "u^2") == "u^2");
        CHECK(value_label(spec, "v") == "v (mol/L)");
        CHECK(labels(spec_from_json(to_json(spec).dump(), "spec.json")) == labels(spec));
    }
    spec = with_setting(spec, "unit-value", "");
    CHECK(labels(spec) == "u, v (mol/L), difference");
}

TEST_CASE("Every setting is named once and has its help") {
    for (const Setting& row : settings()) {
        REQUIRE_FALSE(row.help.empty());
        REQUIRE(std::ranges::count(settings(), row.name, &Setting::name) == 1);
        REQUIRE(&find_setting(row.name) == &row);
    }
}

TEST_CASE("Numbers out of range are refused") {
    for (const auto& [setting, texts] :
         {std::pair{
              "size",
              "0 -5 nan inf 1e99 ten 0x5 5x0 5x x5 1x2x3 99999999999 18446744073709551617x1 2147483648"},
          {"coefficient", "0 -0.1 nan inf -inf 0.2x 1e999 0.2500001 3"},
          {"steps", "-1 1.5 nan 1e30 99999999999999999999"},
          {"seed", "-1 1.5 nan 1e30 99999999999999999999"},
          {"threads", "0 -1 100000"},
          {"every", "0 -1 1.5"},
          {"memory-limit", "0 -1 5XB MB 1e400"}}) {
        REQUIRE_FALSE(refusal(setting, "").empty());
        for (const std::string& text : words(texts)) {
            INFO(setting << " " << text);
            REQUIRE_FALSE(refusal(setting, text.c_str()).empty());
        }
    }
}

TEST_CASE("A coefficient above the stability limit needs leave") {
    REQUIRE(contains(refusal("coefficient", "0.26"), "--allow-unstable"));
    REQUIRE_NOTHROW(spec_with("coefficient=0.26 allow-unstable=true").validate());
    REQUIRE(refusal("coefficient", "0.25").empty());
}

TEST_CASE("Unknown names are refused with the nearest known one") {
    const std::tuple<const char*, const char*, const char*> cases[] = {{"boundary", "periodc", "periodic"},
                                                                       {"method", "refrence", "reference"},
                                                                       {"dtype", "float23", "float32"},
                                                                       {"backend", "cude", "cuda"},
                                                                       {"colormap", "virids", "viridis"},
                                                                       {"export", "filed.png", "field.png"}};
    for (const auto& [name, text, meant] : cases) {
        INFO(name << " " << text);
        REQUIRE(contains(refusal(name, text), fmt::format("did you mean '{}'?", meant)));
    }
}

TEST_CASE("Bytes are read with their units") {
    const std::pair<const char*, std::uint64_t> cases[] = {
        {"500", 500}, {"2K", 2000}, {"2KB", 2000}, {"1.5GiB", 1610612736}, {"3T", 3000000000000}};
    for (const auto& [text, bytes] : cases) {
        INFO(text);
        REQUIRE(spec_with(std::string("memory-limit=") + text).memory_limit == bytes);
    }
    REQUIRE_FALSE(refusal("memory-limit", "2k").empty());
}

TEST_CASE("A spec file that is not one is refused in one line") {
    for (const char* text : {"",
                             "{",
                             "[1, 2]",
                             "7",
                             R"({"sise": "10x10"})",
                             R"({"steps": -4})",
                             R"({"steps": null})",
                             R"({"size": [10, 10]})",
                             R"({"coefficient": "fast"})"}) {
        const std::string message = input_error([&] { spec_from_json(text, "my.json"); });
        INFO(text << " -> " << message);
        REQUIRE(message.starts_with("my.json: "));
        REQUIRE_FALSE(contains(message, "\n"));
    }
}

TEST_CASE("Exports are listed, and default and all mean what they say") {
    std::vector<std::string> chosen;
    add_export("figure.svg", chosen);
    add_export("default", chosen);
    add_export("figure.svg", chosen);
    REQUIRE(chosen.size() == default_exports().size() + 1);
    chosen.clear();
    add_export("all", chosen);
    const auto of_all = [](const Artifact& row) { return !row.frames && !row.is(kByName); };
    REQUIRE(chosen.size() == std::size_t(std::ranges::count_if(artifacts(), of_all)));
    chosen.clear();
    for (const char* former : {"contours.svg", "surface.png"}) add_export(former, chosen);
    REQUIRE(chosen == std::vector<std::string>{"view.svg", "view.png"});
}

TEST_CASE("Contradictions are refused") {
    const RunSpec spec = spec_with("method=naive backend=cpu");
    REQUIRE(contains(input_error([&] { spec.validate(); }), "--backend says cpu"));
}

TEST_CASE("A method is found by its name and by its alias, which a change of the model needs") {
    CHECK(find_method("naive", Device::cuda, kEquation)->name == "generated");
    CHECK(find_method("generated", Device::cuda)->name == "naive");
    RunSpec spec = spec_with("model=gray-scott method=generated");
    CHECK(method_of(spec)->device == Device::cuda);
    set_setting(spec, "model", "diffusion");
    CHECK(method_of(spec)->name == "naive");
    // The switch is the method, which spec.json names, and which `auto` never takes.
    const RunSpec fast = spec_with("model=gray-scott fast=true");
    CHECK(method_of(fast)->fast);
    CHECK(to_json(fast).at("method") == "fast");
    CHECK_FALSE(to_json(fast).contains("fast"));
    CHECK(spec_with("model=gray-scott fast=true fast=false").method == "auto");
    CHECK(spec_with("model=gray-scott method=cpu fast=false").method == "cpu");
    MethodRequest request{Device::cuda, {512, 512}};
    request.model = kEquation;
    CHECK(choose_method(request).name == "generated");
    // A method of earlier versions.
    CHECK(find_method("tutorial", Device::cuda)->name == "naive");
    CHECK(method_of(spec_with("method=tutorial"))->name == "naive");
}

TEST_CASE("Every ready run has a title and a sentence, can be begun, and has a name that no model has") {
    REQUIRE_FALSE(ready_runs().empty());
    for (const ReadyRun& run : ready_runs()) {
        CAPTURE(run.name);
        CHECK_FALSE(run.title.empty());
        CHECK(run.about.ends_with('.'));
        CHECK(run.about.size() < 170);  // fits on a tile of the gallery
        CHECK(find_preset(run.name) == nullptr);
        RunSpec spec = run.spec;
        CHECK_NOTHROW(spec.validate());
        spec.size = Size{24, 20};
        spec.backend = "cpu";
        spec.threads = 1;
        Simulation simulation = begun(spec);
        simulation.apply(Advance{2});
        CHECK(simulation.step() == 2);
    }
}

TEST_CASE(
    "A spec is named by a ready run or a file, and a name that is neither is refused with the nearest") {
    CHECK(named_spec("hot-plate").initial == "disk");
    const auto refusal = [](const char* name) { return message_of<InputError>([&] { named_spec(name); }); };
    CHECK(contains(refusal("hot-plat"), "'hot-plate'"));
    CHECK(contains(refusal("none.json"), "none.json"));
    const ScratchFolder folder;
    const auto file =
        write_bytes(folder / "mine.json", R"({"title": "Mine", "about": "A remark.", "size": "7x5"})");
    CHECK(named_spec(file.string()).size == Size{7, 5});
}
