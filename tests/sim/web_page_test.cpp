// Runs as web pages, and links that carry texts, without a browser.
#include "sim/web/web_page.h"

#include "kernels/equation/text/glsl_text.h"
#include "kernels/equation/text/script_text.h"
#include "sim/files/deflate.h"
#include "sim/files/npy.h"
#include "sim/import/model_file.h"
#include "sim/model/step/stages.h"
#include "sim/problem/run_text.h"
#include "sim/run/output/exports.h"
#include "sim/text/base64.h"
#include "tests/support/runs.h"

namespace {

constexpr std::size_t kMostPage = 300'000;

std::string page_of(Simulation& simulation) {
    ScratchFolder folder;
    const RunOutput output = run_output(simulation);
    find_artifact("web.html")->write({folder / "web.html", output, output.fields.front(), "html"});
    return read_bytes(folder / "web.html");
}

std::string page_of(const std::string& text) {
    Simulation simulation = begun(run_of_text(text));
    return page_of(simulation);
}

std::string between(const std::string& text, std::string_view begin, std::string_view end) {
    const std::size_t from = text.find(begin) + begin.size();
    return text.substr(from, text.find(end, from) - from);
}

std::string why_not(const std::string& text, const std::string& settings = "") {
    RunSpec spec = run_of_text(text);
    spec.size = Size{32, 32};
    for (const std::string& setting : split(settings, ' ')) {
        const std::size_t equals = setting.find('=');
        if (equals != setting.npos) set_setting(spec, setting.substr(0, equals), setting.substr(equals + 1));
    }
    spec.exports = {"web.html"};
    return message_of<InputError>([&] { check_exports(spec); });
}

constexpr const char* kHeat = "du/dt = D*lap(u); D = 0.1 in [0, 0.2]; dt = 0.5; u(0) = sin(x); size = 24x16";

}  // namespace

TEST_CASE("A page tells no folder of its author, and its policy forbids every connection") {
    const ScratchFolder folder;
    Array<double> start(24, 16);
    std::fill_n(start.data(), start.size(), 0.5);
    write_npy(folder / "start.npy", Field(std::move(start)));
    const std::string path = (folder / "start.npy").string(), place = folder.path().string();
    Simulation typed =
        begun(run_of_text("du/dt = lap(u)*p; p = array(\"" + path + "\"); dt = 0.1; size = 24x16"));
    RunSpec given = run_of_text("du/dt = lap(u); dv/dt = lap(v); dt = 0.1; size = 24x16");
    set_setting(given, "initial", path);
    set_setting(given, "initial", "v=" + path);
    Simulation beside = begun(given);
    for (Simulation* simulation : {&typed, &beside}) {
        const std::string page = page_of(*simulation);
        CHECK(contains(page, "start.npy"));
        CHECK_FALSE(contains(page, place));
        CHECK(contains(page, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';"));
    }
    CHECK(without_folders("/a b/c.png") == "c.png");
    CHECK(without_folders("v=/a/c.png") == "v=c.png");
    CHECK(without_folders("P = image(\"/a/c.png\", red); u(0) = 1/P/2 # \"x\"") ==
          "P = image(\"c.png\", red); u(0) = 1/P/2 # \"x\"");
    CHECK(without_folders("du/dt = u/(1 + u)") == "du/dt = u/(1 + u)");
    CHECK(without_folders("").empty());
}

TEST_CASE("A page has the operations of the run, its sliders, its command and its data") {
    const std::string page = page_of(kHeat);
    CHECK(contains(page, "#version 300 es"));
    CHECK(contains(page, "fma_rn("));
    CHECK(contains(page, R"("name":"D","value":0.1,"low":0.0,"high":0.2)"));
    CHECK(contains(page, "stencilscope run --size 24x16"));
    CHECK(contains(page, "EXT_color_buffer_float"));
    CHECK_FALSE(contains(page, "{{"));
    CHECK_FALSE(contains(page, "://"));
    const auto packed = bytes_of_base64(between(page, "id=\"data\">", "</script>"));
    REQUIRE(packed);
    const auto cells = inflated(*packed, 1 << 20);
    REQUIRE(cells);
    CHECK(cells->size() == 24 * 16 * sizeof(float));
}

TEST_CASE("Texts of a model cannot end a page's script, and are no places of the page") {
    const std::string page = page_of(
        "title = \"</script><b>{{data}}\"; about = \"<img src=x>\"; du/dt = lap(u); dt = 0.1; size = 8x8");
    CHECK_FALSE(contains(page, "</script><b>"));
    CHECK_FALSE(contains(page, "<img"));
    CHECK(std::ranges::count(page, '\n') > 100);
    CHECK(bytes_of_base64(between(page, "id=\"data\">", "</script>")).has_value());
}

TEST_CASE("The page of every preset that has one is at most 300 kB without its data") {
    std::size_t refused = 0;
    for (const Preset& preset : presets()) {
        RunSpec spec = run_of_text(std::string(preset.text));
        spec.size = Size{32, 32};
        CAPTURE(preset.name);
        if (const std::string why = why_not(std::string(preset.text), "size=32x32"); !why.empty()) {
            CAPTURE(why);
            CHECK((contains(why, "by transforms") || contains(why, "values of the whole field")));
            ++refused;
            continue;
        }
        Simulation simulation = begun(spec);
        const std::string page = page_of(simulation);
        CHECK(page.size() - between(page, "id=\"data\">", "</script>").size() <= kMostPage);
    }
    CHECK(refused < presets().size() / 4);
}

TEST_CASE("A page refuses by name what it cannot step") {
    CHECK(why_not(kHeat).empty());
    CHECK(contains(why_not(kHeat, "stepper=imex"), "web.html: a page cannot solve for fields by transforms"));
    CHECK(contains(why_not("du/dt = lap(u) - psi; lap(psi) = -u; dt = 0.1"), "by transforms"));
    CHECK(contains(why_not("du/dt = lap(u) - mean(u); dt = 0.1"), "values of the whole field"));
    CHECK(contains(why_not(kHeat, "dt=follow:0.8limit"), "a fixed time step"));
    CHECK(contains(why_not(kHeat, "size=4001x10"), "take a smaller --size"));
    CHECK(contains(why_not(kHeat, "size=3000x3000"), "4 million values"));
    std::string many = "dt = 0.001; ";
    for (int i = 0; i < 16; ++i)
        many += "du" + std::to_string(i) + "/dt = lap(lap(u" + std::to_string(i) + ")); ";
    CHECK(why_not(many).empty());
}

TEST_CASE("The default model has a page, with its coefficient") {
    Simulation simulation = begun(noise_run({32, 24}));
    const std::string page = page_of(simulation);
    CHECK(contains(page, R"("name":"coefficient","value":0.2)"));
}

TEST_CASE("Fields of a page have the colours of their own") {
    RunSpec spec = run_of_text(
        "du/dt = lap(u); dv/dt = lap(v); dw/dt = lap(w); dt = 0.1; size = 8x8; show = v; "
        "u(0) = x; colormap = viridis");
    for (const char* colors : {"u=vik_r,-2:2", "v=magma,,K"}) set_setting(spec, "colors", colors);
    Simulation simulation = begun(spec);
    const std::string page = page_of(simulation);
    const auto fields = nlohmann::json::parse(between(page, "\"fields\":", ",\"maps\""));
    REQUIRE(fields.size() == 3);
    CHECK(fields[0]["map"] == "vik_r");
    CHECK(fields[0]["low"] == -2);
    CHECK_FALSE(fields[0]["automatic"].get<bool>());
    CHECK(fields[1]["map"] == "magma");
    CHECK(fields[1]["unit"] == "K");
    CHECK(fields[1]["automatic"].get<bool>());
    CHECK(fields[2].is_null());
    CHECK(contains(page, "\"vik_r\":{"));
}

TEST_CASE("The page of a run that was changed on the way begins at its end") {
    RunSpec spec = run_of_text(kHeat);
    set_setting(spec, "unit-time", "0.25s");
    set_setting(spec, "integrator", "ab2");
    Simulation simulation = begun(spec);
    simulation.apply(Advance{10});
    CHECK(contains(page_of(simulation), R"("step":0,"time":0.0)"));
    simulation.apply(Set{"D", "0.15"});
    simulation.apply(Advance{10});
    const std::string page = page_of(simulation);
    CHECK(contains(page, R"("step":20,"time":10.0)"));
    CHECK(contains(page, "--at 10:D=0.15"));
    CHECK(contains(page, "begins at its step 20"));
    CHECK(contains(page, "its first step is one of Euler's method"));
}

TEST_CASE("No pass of a page reads what it writes, and carried textures are those that hold the state") {
    using namespace equation;
    for (const Preset& preset : presets())
        for (const char* name : {"rk4", "ab2"}) {
            CAPTURE(preset.name, name);
            const Equations model = read_equations(preset.text);
            if (std::ranges::none_of(model.components, &Evolving::rate)) continue;
            const Program program = make_program(model, scheme_of(name), false, 0.1);
            if (!why_no_glsl(program).empty()) continue;
            const GlslProgram glsl = glsl_program(program);
            std::vector<int> written(glsl.textures.size());
            for (const auto* passes : {&glsl.once, &glsl.stages})
                for (const GlslPass& pass : *passes)
                    for (const int to : pass.to) {
                        ++written[std::size_t(to)];
                        CHECK_FALSE(stencil_test::contains(pass.text, "__"));
                        for (const GlslSource& from : pass.from) CHECK((from.texture != to || from.before));
                    }
            CHECK(std::ranges::all_of(written, [](int count) { return count <= 1; }));
            for (const GlslPlace& place : glsl.state)
                CHECK(glsl.textures[std::size_t(place.texture)].carried ==
                      (written[std::size_t(place.texture)] == 1));
        }
}

TEST_CASE("Inputs are printed as functions of JavaScript") {
    const equation::Program program =
        equation::make_program(equation::read_equations("du/dt = c^2*lap(u) + sin(t); c = 2; dt = 0.1"),
                               equation::scheme_of("euler"),
                               false);
    const std::string text = equation::script_text(program.uniforms);
    CHECK(text.starts_with("(s, x, y) => { const v0 = "));
    CHECK(contains(text, "return [v"));
    CHECK_FALSE(contains(text, "Real"));
}

TEST_CASE("A link carries a model's text, and damaged ones are refused in one line") {
    const std::string text = "du/dt = D*lap(u) # ∇²\nD = 0.1 in [0, 0.2]; dt = 1; size = 24x16\n";
    const std::string link = link_of_text(text);
    CHECK(link.starts_with("stencilscope:"));
    CHECK(link.find_first_of("+/= '\"&") == link.npos);
    CHECK(text_of_link(link) == text);
    CHECK(open_model(link).model->text == text);
    CHECK(is_model_file(link));
    CHECK(text_of_link(link + "=") == text);
    for (const std::string& bad : {link.substr(0, link.size() - 4),
                                   std::string("stencilscope:"),
                                   std::string("stencilscope:a b"),
                                   link_of_text(std::string(1 << 20, ' '))}) {
        CAPTURE(bad.size());
        const std::string why = message_of<InputError>([&] { open_model(bad); });
        CHECK(contains(why, "model stencilscope:"));
        CHECK(contains(why, "the link is damaged or cut"));
        CHECK_FALSE(contains(why, "\n"));
    }
    const std::string wrong = message_of<InputError>([] { open_model(link_of_text("du/dt = lap(w)")); });
    CHECK(contains(wrong, "w"));
    CHECK_FALSE(contains(wrong, "what came of it"));
}

TEST_CASE("Base64 and deflate give back any bytes") {
    for (std::size_t size : {0, 1, 2, 3, 4, 255, 4096}) {
        std::string bytes;
        for (std::size_t i = 0; i < size; ++i) bytes += char(i * 37 + i / 7);
        CHECK(bytes_of_base64(base64(bytes)) == bytes);
        CHECK(bytes_of_base64(base64url(bytes)) == bytes);
        CHECK(inflated(deflated(bytes), size) == bytes);
        if (size > 0) CHECK_FALSE(inflated(deflated(bytes), size - 1).has_value());
    }
    CHECK(base64("Man!") == "TWFuIQ==");
    CHECK_FALSE(bytes_of_base64("abcde").has_value());
    CHECK_FALSE(bytes_of_base64("a*bc").has_value());
}

TEST_CASE("A file's name needs no ending in --export where one file alone is meant") {
    std::vector<std::string> names;
    for (const char* item : {"web", "statistics", "spec", "web.html"}) add_export(item, names);
    CHECK(names == std::vector<std::string>{"web.html", "statistics.csv", "spec.json"});
    const std::string why = message_of<InputError>([&] { add_export("figure", names); });
    CHECK(why == "export: 'figure' may be figure.png or figure.svg or figure.pdf");
    CHECK(contains(message_of<InputError>([&] { add_export("wbe", names); }), "unknown file"));
}
