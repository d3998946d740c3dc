#include "sim/web/web_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "sim/editing/typeset.h"
#include "sim/figure/canvas.h"
#include "sim/files/deflate.h"
#include "sim/import/model_file.h"
#include "sim/model/equations.h"
#include "sim/model/step/stages.h"
#include "sim/model/time_step.h"
#include "sim/problem/panes.h"
#include "sim/problem/run_text.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/start.h"
#include "sim/text/base64.h"
#include "sim/text/embedded.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"
#include "sim/view/colormap.h"
#include "sim/web/page_program.h"

namespace stencil {
namespace {

using editing::MathBox;
using equation::Equations;
using equation::GlslPlace;
using equation::GlslProgram;
using equation::Program;
using Json = nlohmann::ordered_json;

// Some phones have no larger textures. The data is about 5 MB per million values.
constexpr int kMostEdge = 4000;
constexpr long long kMostValues = 1 << 22;
// A page shows a run's steps in about this many frames, with at most so many steps each.
constexpr double kFrames = 1200, kMostStepsPerFrame = 64;

std::string embedded_text(std::string_view name) {
    return std::string(row_named(embedded_web(), "file", name).text);
}

// Fills in the page's placeholders {{NAME}} in the order of the page, so that none is searched for in a
// value.
std::string filled_page(const std::vector<std::pair<std::string_view, std::string>>& values) {
    std::string text = embedded_text("page");
    std::size_t at = 0;
    for (const auto& [name, value] : values) {
        const std::string place = fmt::format("{{{{{}}}}}", name);
        at = text.find(place, at);
        text.replace(at, place.size(), value);
        at += value.size();
    }
    return text;
}

// Formats JSON for a <script>: without '<' no text can end the script.
std::string script_json(const Json& json) {
    std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    for (std::size_t at = 0; (at = text.find('<', at)) != text.npos;) text.replace(at, 1, "\\u003c");
    return text;
}

Program program_of(const RunSpec& spec) {
    return *planned_equations(spec)->step(spec.integrator, false, spec.time_step());
}

double steps_per_frame(const RunSpec& spec) {
    const std::string own = spec.model->equations->statements->value(setting_name::steps);
    const double steps = !spec.open() && spec.steps > 0 ? double(spec.steps) : read_real(own).value_or(0);
    return std::clamp(std::round(steps / kFrames), 1.0, kMostStepsPerFrame);
}

std::string table_of(const Colormap& colors) {
    std::string bytes;
    for (const Rgb& c : colors.colors) bytes += {char(c.r), char(c.g), char(c.b)};
    return base64(bytes);
}

Json coloring_json(const RunSpec& spec, const std::string& formula, const Field& cells) {
    const Colormap& map = field_colors(spec, formula);
    const RangeRule& rule = spec.coloring(formula).range;
    const ValueRange range = find_range(cells, rule, map.diverging);
    return {{"map", map.name},
            {"unit", spec.value_unit(formula)},
            {"scale", kScaleNames[std::size_t(rule.scale)]},
            {"automatic", rule.kind == RangeRule::Kind::automatic},
            {"low", range.low},
            {"high", range.high}};
}

// Returns the colours of each field that a page shows (null: the present ones), and the colour tables.
Json colors_json(const WebStart& start, std::size_t shown) {
    const RunSpec& now = start.now;
    Json fields = Json::array(), maps = Json::object();
    for (std::size_t i = 0; i < start.state.size(); ++i) {
        const std::string& name = now.model->components[i].name;
        const bool own = i == shown || now.colors.contains(name);
        fields.push_back(own ? coloring_json(now, name, *start.state[i]) : Json());
    }
    if (shown == start.state.size()) fields.push_back(coloring_json(now, now.shown(), *start.shown));
    const auto add = [&](const Colormap& map) {
        maps[map.name] = {{"diverging", map.diverging}, {"colors", table_of(map)}};
    };
    for (const Colormap& map : colormaps()) add(map);
    for (const Json& own : fields)
        if (!own.is_null()) add(colormap(own["map"].get<std::string>()));
    return {{"fields", fields}, {"maps", maps}};
}

void add_cells(std::string& bytes, const Field& field) {
    const Field single = field.to(DType::float32);
    const auto cells = single.as<float>().cells();
    bytes.append(reinterpret_cast<const char*>(cells.data()), cells.size_bytes());
}

std::string data_text(const WebStart& start) {
    std::string bytes;
    for (const Field* field : start.state) add_cells(bytes, *field);
    for (const auto& array : read_data(start.now)) add_cells(bytes, array->clone());
    return base64(deflated(bytes));
}

// Returns remarks for the page's reader, such as on its precision.
Json notes_json(const WebStart& start, bool shows) {
    Json notes = Json::array();
    const RunSpec& now = start.now;
    notes.push_back(
        "This page computes in float32 on your device, which may round otherwise than the program. Where "
        "small differences grow (chaos), fields differ visibly after some time.");
    if (now.dtype == DType::float64) notes.push_back("The run itself is in float64.");
    if (start.step > 0)
        notes.push_back(fmt::format(
            "The run was changed on the way (settings, strokes), so the page begins at its step {}.",
            start.step));
    if (start.step > 0 && now.integrator->is_multistep)
        notes.push_back(
            fmt::format("The page does not have the rates of the step before, so its first step is one of "
                        "Euler's method instead of {}'s.",
                        name_of(now.integrator)));
    if (!shows) notes.push_back(fmt::format("The shown formula, {}, cannot be computed here.", now.shown()));
    return notes;
}

// Returns the program that computes the shown formula if that is no component; null if a page cannot.
Json view_json(const RunSpec& spec, const GlslProgram& run, PageFunctions& functions) {
    const auto made = planned_equations(spec, {spec.shown()})->view(false, false);
    const equation::ViewProgram& view = *made;
    if (!why_no_glsl(view.program).empty()) return {};
    const GlslProgram glsl = glsl_program(view.program, &run);
    Json json =
        page_program(view.program, glsl, run.textures.size(), spec.model->components.size(), functions);
    const GlslPlace place = glsl.places[std::size_t(view.arrays.front())];
    json["result"] = {place.texture, place.channel};
    json["name"] = spec.shown();
    return json;
}

// Returns the shown formula's index in the list of what a page can show.
std::size_t shown_index(const RunSpec& spec, bool has_view) {
    const auto component = find_component(*spec.model, spec.shown());
    return component ? *component : has_view ? spec.model->components.size() : 0;
}

// Browsers may lack the font that was measured, so longer texts are stretched to the measured width.
std::string glyphs_text(const MathBox::Glyphs& g, double y) {
    const double width = figure::text_width(g.text, g.size);
    const bool several = g.text.size() > utf8_length(g.text);
    return fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.1f}\"{}>{}</text>",
        g.x,
        y + g.y,
        g.size,
        several ? fmt::format(" textLength=\"{:.1f}\" lengthAdjust=\"spacingAndGlyphs\"", width) : "",
        xml_escaped(g.text));
}

std::string bracket_text(const MathBox::Bracket& b, double y) {
    const double inner = b.x + (b.opens ? b.width : -b.width);
    const double control = b.x + (b.opens ? -b.width : b.width);
    return fmt::format("<path d=\"M{0:.1f} {1:.1f}Q{2:.1f} {3:.1f} {0:.1f} {4:.1f}\"/>",
                       inner,
                       y + b.top,
                       control,
                       y + (b.top + b.bottom) / 2,
                       y + b.bottom);
}

// The equations as the window's editor sets them, as an <svg> element in the colour of the text around it.
// Screen readers get the text as typed.
std::string equation_picture(const equation::Statements& statements) {
    // Phones have about so many pixels across.
    constexpr double kWidth = 560, kSize = 17, kGap = 8;
    const auto measure = [](std::string_view text, float size) {
        return float(figure::text_width(text, size));
    };
    std::string drawn;
    double y = 0, widest = 1;
    for (const auto& [box, mistake] : editing::typeset(statements, float(kWidth), kSize, measure)) {
        y += box.ascent;
        for (const MathBox::Glyphs& g : box.glyphs) drawn += glyphs_text(g, y);
        for (const MathBox::Line& l : box.lines)
            drawn +=
                fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>", l.x0, y + l.y0, l.x1, y + l.y1);
        for (const MathBox::Bracket& b : box.brackets) drawn += bracket_text(b, y);
        y += box.descent + kGap;
        widest = std::max(widest, double(box.width));
    }
    return fmt::format(
        "<svg class=\"equation\" role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {:.0f} {:.0f}\" "
        "width=\"{:.0f}\" fill=\"currentColor\" font-family=\"'DejaVu Sans', Verdana, "
        "sans-serif\"><g>{}</g></svg>",
        xml_escaped(statements.text),
        widest + 2,
        std::max(y, 1.0),
        widest + 2,
        drawn);
}

}  // namespace

std::string why_no_web_page(const RunSpec& spec) {
    const Equations& equations = *spec.model->equations;
    if (spec.size &&
        (spec.size->nx > kMostEdge || spec.size->ny > kMostEdge ||
         1LL * spec.size->nx * spec.size->ny * static_cast<long long>(spec.model->components.size()) >
             kMostValues))
        return fmt::format(
            "a page holds at most {} million values, and {} cells along a side: take a smaller --size",
            kMostValues >> 20,
            kMostEdge);
    if (is_adaptive(spec.dt)) return "a page has a fixed time step: give --dt a number";
    if (!equations.kernels.empty()) return "a page cannot convolve fields by transforms";
    if (!equations.elliptic.empty() || spec.integrator->is_implicit)
        return "a page cannot solve for fields by transforms";
    const auto is_global = [&](const equation::Evolving& c) {
        return equations.graph.depends(c.formula).global ||
               std::ranges::any_of(c.sides, [&](const equation::Condition& side) {
                   return equations.graph.depends(side.right).global ||
                          equations.graph.depends(side.value).global ||
                          equations.graph.depends(side.flux).global;
               });
    };
    if (std::ranges::any_of(equations.components, is_global))
        return "a page cannot compute values of the whole field";
    return "";
}

void require_web_page(const RunSpec& spec) {
    std::string why = why_no_web_page(spec);
    if (why.empty()) why = why_no_glsl(program_of(spec));
    if (!why.empty()) throw InputError("web.html: {}: leave it out with --export", why);
}

std::string web_page(const WebStart& start) {
    const RunSpec& now = start.now;
    require_web_page(now);
    const Equations& equations = *now.model->equations;
    const Program program = program_of(now);
    const GlslProgram glsl = glsl_program(program);
    const std::size_t components = now.model->components.size();
    const std::string text = without_folders(text_of_run(now));
    const std::string title = equations.title.empty() ? now.model->name : equations.title;
    PageFunctions functions;
    Json run{{"title", title},
             {"source", equations.source},
             {"about", equations.about},
             {"version", STENCILSCOPE_VERSION},
             {"size", {now.size->nx, now.size->ny}},
             {"spacing", now.dx},
             {"dt", now.time_step()},
             {"step", start.step},
             {"time", start.time},
             {"seed", {std::uint32_t(now.seed), std::uint32_t(now.seed >> 32)}},
             {"integrator", name_of(now.integrator)},
             {"boundary", boundary_text(now)},
             {"stepsPerFrame", steps_per_frame(now)},
             {"components", names_of(now.model->components)},
             {"parameters", sliders_json(now)},
             {"text", text},
             {"link", link_of_text(text)}};
    RunSpec document = start.document;
    static_cast<Ending&>(document) = {start.step};
    run["command"] = command_text(document, Paths::names);
    run["program"] = page_program(program, glsl, 0, components, functions);
    const bool is_component = find_component(*now.model, now.shown()).has_value();
    const Json view = is_component ? Json() : view_json(now, glsl, functions);
    run["view"] = view;
    const std::size_t shown = shown_index(now, !view.is_null());
    run["shown"] = shown;
    run["colors"] = colors_json(start, shown);
    run["notes"] = notes_json(start, is_component || !view.is_null());
    std::string script = fmt::format(
        "const FUNCTIONS = [\n{}\n];\nconst RUN = {};\n", fmt::join(functions, ",\n"), script_json(run));
    for (const char* part : {"arithmetic", "stepper", "controls"}) script += embedded_text(part);
    return filled_page(
        {{"title", xml_escaped(title)},
         {"style", embedded_text("style")},
         {"equation", equation_picture(equation::readable_statements(without_folders(now.model->text)))},
         {"data", data_text(start)},
         {"script", script}});
}

}  // namespace stencil
