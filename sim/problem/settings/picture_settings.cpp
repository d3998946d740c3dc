#include <algorithm>
#include <cmath>

#include "sim/problem/panes.h"
#include "sim/problem/settings/setting_rows.h"
#include "sim/text/quote.h"
#include "sim/view/arrows.h"
#include "sim/view/colormap.h"
#include "sim/view/contours.h"

namespace stencil {
namespace {

using Json = nlohmann::json;

void set_figure_size(RunSpec& spec, std::string_view text) {
    std::string sides(text);
    if (sides.ends_with("cm")) sides.resize(sides.size() - 2);
    const auto parts = split(sides, 'x');
    const auto side = [&](std::size_t i) { return i < parts.size() ? read_real(parts[i]).value_or(-1) : 0; };
    const auto fits = [](double cm) { return cm >= FigureSize::kLeast && cm <= FigureSize::kMost; };
    if (!text.empty() && (parts.size() > 2 || !fits(side(0)) || (parts.size() == 2 && !fits(side(1)))))
        throw InputError(Given{"figure-size", quotable(text)},
                         "must be W or WxH, each from {} to {} cm, e.g. 12x10cm",
                         FigureSize::kLeast,
                         FigureSize::kMost);
    spec.figure_size = text.empty() ? FigureSize() : FigureSize{side(0), side(1)};
}

Json get_figure_size(const RunSpec& spec) {
    const auto [width, height] = spec.figure_size;
    if (width == 0) return Json();
    return height == 0 ? fmt::format("{}cm", width) : fmt::format("{}x{}cm", width, height);
}

std::string read_colormap(std::string_view text, std::string_view setting) {
    try {
        return colormap(text).name;
    } catch (const InputError& error) {
        throw InputError(Given{setting}, error.what());
    }
}

// Colours as those of formulas without their own say nothing.
Json get_colors(const RunSpec& spec) {
    Json texts;
    for (const auto& [formula, own] : spec.colors)
        if (own != spec || !own.unit.empty()) texts.push_back(coloring_text(formula, own));
    return texts;
}

}  // namespace

// Formulas may have = as a part of >= and others; what follows them has none.
std::string formula_of_colors(const std::string& text) {
    const std::size_t equals = text.rfind('=');
    return equals == text.npos ? "" : text.substr(0, equals);
}

void add_colors(RunSpec& spec, std::span<const std::string> texts) {
    for (const std::string& text : texts) {
        const std::string formula = formula_of_colors(text);
        const std::size_t equals = formula.size();
        if (formula.empty())
            throw InputError(Given{"colors", quotable(text)},
                             "must be FORMULA=NAME,RANGE,UNIT, e.g. v=magma,0:1,mol/L; each may be left out");
        Coloring own;
        const auto parts = split(text.substr(equals + 1), ',');
        if (parts.size() > 3)
            throw InputError(Given{"colors", quotable(text)}, "must have at most a name, a range and a unit");
        const auto part = [&](std::size_t i) { return i < parts.size() ? parts[i] : ""; };
        if (!part(0).empty()) own.colormap = read_colormap(part(0), "colors");
        if (!part(1).empty()) own.range = parse_range(part(1), "colors");
        own.unit = read_unit_name(part(2), "colors");
        spec.colors.insert_or_assign(formula, own);
    }
}

std::string coloring_text(const std::string& formula, const Coloring& own) {
    std::string text = formula + "=" + own.colormap;
    if (own.range != RangeRule() || !own.unit.empty()) text += "," + to_string(own.range);
    return own.unit.empty() ? text : text + "," + own.unit;
}

std::vector<Setting> picture_settings() {
    using namespace setting_row;
    using enum SettingKind;
    return {
        set_in_turn(
            Turn::show,
            text({setting_name::show,
                  "FORMULA",
                  "the quantity shown and measured, e.g. v or u^2 + v^2 (default: the first component)"},
                 &RunSpec::show,
                 as_is)),
        row(
            {setting_name::colormap, "NAME", "colours of the pictures; NAME_r: reversed (default viridis)"},
            [](RunSpec& s, std::string_view name) {
                s.coloring().colormap = read_colormap(name, "colormap");
            },
            [](const RunSpec& s) { return unless_empty(s.colormap); }),
        row(
            {setting_name::range,
             "[SCALE:]R",
             "values that the colours span: auto, percentile:LO:HI or MIN:MAX; SCALE is log, symlog or "
             "centred (at zero), e.g. log:1e-4:1"},
            [](RunSpec& s, std::string_view text) { s.coloring().range = parse_range(text, "range"); },
            [](const RunSpec& s) { return Json(to_string(s.range)); }),
        set_in_turn(Turn::colors,
                    list({setting_name::colors,
                          "FORMULA=[NAME][,RANGE][,UNIT]",
                          "colours, range and unit of one formula whenever it is shown, e.g. "
                          "v=magma,0:1,mol/L; may be repeated"},
                         add_colors,
                         get_colors)),
        flag(setting_name::range_per_frame,
             "each frame spans its own range; otherwise all span the first one's",
             &RunSpec::range_per_frame),
        member({setting_name::laplacian_colormap,
                "NAME",
                "colours of the Laplacian (default: coolwarm, or a diverging --colormap; inferno in the "
                "figure)"},
               &RunSpec::laplacian_colormap,
               read_colormap,
               unless_empty),
        range({setting_name::laplacian_range,
               "[SCALE:]R",
               "the same for the Laplacian (default percentile:5:95)"},
              &RunSpec::laplacian_range),
        unit({setting_name::unit_length,
              "[N]UNIT",
              "what a length of 1 is (a cell, where dx is 1), e.g. 0.01m: for figures and tables"},
             &RunSpec::unit_length),
        unit({setting_name::unit_time, "[N]UNIT", "what a time of 1 is (a step, where dt is 1), e.g. 0.1s"},
             &RunSpec::unit_time),
        row(
            {setting_name::unit_value,
             "UNIT",
             "unit of the values that are shown, beside their colours, e.g. mol/L"},
            [](RunSpec& s, std::string_view text) { s.coloring().unit = read_unit_name(text, "unit-value"); },
            [](const RunSpec& s) { return unless_empty(s.unit); }),
        text({setting_name::contours,
              "L1,L2,...|N",
              "lines of equal value in the window and in figures: at these levels, or N spread over the "
              "colours"},
             &RunSpec::contours,
             read_contours),
        text({setting_name::arrows,
              "gradient|flux|A,B",
              "arrows in the window and in figures: the gradient of what is shown, its flux (downhill), or "
              "two formulas across and down, such as u,v or 'dy(psi),-dx(psi)'"},
             &RunSpec::arrows,
             read_arrows),
        member(
            {setting_name::outline,
             "true|false",
             "draw the edge of a model's shape, `inside = ...`, in the window and in figures (default true)"},
            &RunSpec::outline,
            parse_flag,
            [](bool on) { return on ? Json() : Json(false); }),
        member(
            {setting_name::surface,
             "AZ,EL[,ZOOM[,HEIGHT]]",
             "from where a surface is seen: degrees by which it is turned, and of the eye above it, its "
             "size, and a factor of its height (default -30,40)"},
            &RunSpec::surface,
            [](std::string_view text, std::string_view) { return read_surface_view(text); },
            [](const SurfaceView& view) { return view == SurfaceView() ? Json() : Json(to_string(view)); }),
        text({setting_name::view,
              "NAME",
              "what the window and view.* show: now, laplacian, from-start, from-reference, start, surface, "
              "three-up or components"},
             &RunSpec::view,
             read_view),
        row({setting_name::figure_size,
             "W[xH]cm",
             "width, or width and height, of the figures view.* and dispersion.*, e.g. 12x10cm"},
            set_figure_size,
            get_figure_size),
        flag(setting_name::wave_ring,
             "a circle over the field, in the window and in view.*, as wide as the fastest growing wave is "
             "long",
             &RunSpec::wave_ring)};
}

}  // namespace stencil
