#include "sim/problem/edit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/problem/time_step.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

struct StyleRow {
    std::string_view name;
    bool add;
    bool soft;
    BrushShape shape;
};

constexpr StyleRow kStyles[] = {{"replace", false, false, BrushShape::round},
                                {"replace-soft", false, true, BrushShape::round},
                                {"add", true, false, BrushShape::round},
                                {"add-soft", true, true, BrushShape::round},
                                {"replace-square", false, false, BrushShape::square},
                                {"replace-soft-square", false, true, BrushShape::square},
                                {"add-square", true, false, BrushShape::square},
                                {"add-soft-square", true, true, BrushShape::square},
                                {"replace-rectangle", false, false, BrushShape::rectangle},
                                {"add-rectangle", true, false, BrushShape::rectangle},
                                {"replace-fill", false, false, BrushShape::fill},
                                {"add-fill", true, false, BrushShape::fill}};

// Larger values and coordinates are refused, since sums of their squares would overflow.
constexpr double kLargestNumber = 1e30;

[[noreturn]] void refuse_piece(std::string_view text, std::string_view what) {
    throw InputError("--at: paint={}: {}; allowed: VALUE,RADIUS,STYLE,X,Y or VALUE,RADIUS,STYLE,X0,Y0,X1,Y1",
                     quotable(text),
                     what);
}

double piece_number(std::string_view whole, const std::string& text) {
    const auto number = read_real(text);
    if (!number || std::abs(*number) > kLargestNumber)
        refuse_piece(whole, fmt::format("'{}' is not a number up to {}", quotable(text), kLargestNumber));
    return *number;
}

// The setting of this name. Throws InputError if it cannot be changed during a run.
const Setting& editable_setting(std::string_view name) {
    const Setting* row = setting_named(name);
    if (row != nullptr && is_editable(*row)) return *row;
    std::vector<std::string> known;
    for (const Setting& setting : settings())
        if (is_editable(setting)) known.emplace_back(setting.name);
    known.emplace_back(kPaint);
    throw InputError("--at: " + unknown_name_message("setting", name, known));
}

// Whether the name can be a model's parameter; this is checked once the model is known.
bool may_be_parameter(const std::string& name) {
    const auto is_part = [](unsigned char c) { return std::isalnum(c) || c == '_' || c >= 0x80; };
    return !name.empty() && std::ranges::all_of(name, is_part) && setting_named(name) == nullptr;
}

// Whether the value can only be checked once the model is known.
bool needs_model(std::string_view name) {
    const Setting* row = setting_named(name);
    return row != nullptr && (row->typed_only || name == setting_name::method);
}

}  // namespace

static bool dt_is_decided(const std::string& text) {
    const TimeStep step = parse_time_step(text);
    return is_adaptive(step) && dt_of(step) > 0;
}

std::optional<std::string> painted_component(std::string_view setting) {
    if (setting == kPaint) return "";
    if (setting.starts_with("paint-")) return std::string(setting.substr(6));
    return std::nullopt;
}

bool is_decided_dt(const Edit& edit) {
    return edit.setting == setting_name::dt && dt_is_decided(edit.value);
}

bool operator==(const EditList& a, const EditList& b) {
    return std::ranges::equal(a, b);
}

EditList EditList::until(long long step) const {
    const auto after =
        std::upper_bound(begin(), end(), step, [](long long at, const Edit& edit) { return at < edit.step; });
    if (after == end()) return *this;
    EditList some;
    some.add(std::vector<Edit>(begin(), after));
    return some;
}

void EditList::add(std::vector<Edit> more) {
    if (more.empty()) return;
    std::vector<Edit>& edits = own();
    const std::size_t before = edits.size();
    std::ranges::move(more, std::back_inserter(edits));
    const auto unknown = edits.begin() + std::ptrdiff_t(std::max<std::size_t>(before, 1) - 1);
    if (!std::ranges::is_sorted(unknown, edits.end(), {}, &Edit::step))
        std::ranges::stable_sort(edits, {}, &Edit::step);
}

std::vector<Edit>& EditList::own() {
    if (!edits_)
        edits_ = std::make_shared<std::vector<Edit>>();
    else if (shared_)
        edits_ = std::make_shared<std::vector<Edit>>(*edits_);
    shared_ = false;
    return *edits_;
}

Edit parse_edit(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::size_t equals = text.find('=');
    if (colon == std::string_view::npos || equals == std::string_view::npos || equals < colon)
        throw InputError("--at {}: must be STEP:SETTING=VALUE, e.g. 500:coefficient=0.1", quotable(text));
    Edit edit;
    edit.step = parse_integer(std::string(text.substr(0, colon)), "--at", 0, kMaxSteps);
    edit.setting = present_name(text.substr(colon + 1, equals - colon - 1));
    edit.value = std::string(text.substr(equals + 1));
    if (painted_component(edit.setting)) {
        parse_piece(edit.value);
    } else if (may_be_parameter(edit.setting)) {
        parse_real(edit.value, fmt::format("--at {}: {}", edit.step, edit.setting));
    } else if (!needs_model(edit.setting)) {
        const Setting& setting = editable_setting(edit.setting);
        static const RunSpec standard;
        RunSpec scratch = standard;
        try {
            setting.set(scratch, edit.value);
        } catch (const InputError& error) {
            throw InputError("--at {}: {}", edit.step, error.what());
        }
    }
    return edit;
}

std::string to_string(const Edit& edit) {
    return fmt::format("{}:{}={}", edit.step, edit.setting, edit.value);
}

BrushPiece parse_piece(std::string_view text) {
    const auto parts = split(text, ',');
    if (parts.size() != 5 && parts.size() != 7) refuse_piece(text, "5 or 7 entries are needed");
    BrushPiece piece;
    piece.brush.value = piece_number(text, parts[0]);
    piece.brush.radius = piece_number(text, parts[1]);
    const auto style = std::ranges::find(kStyles, parts[2], &StyleRow::name);
    if (style == std::end(kStyles))
        refuse_piece(text, fmt::format("the style must be one of {}", fmt::join(names_of(kStyles), ", ")));
    piece.brush.add = style->add;
    piece.brush.soft = style->soft;
    const BrushShape shape = piece.brush.shape = style->shape;
    const bool box = shape == BrushShape::rectangle, fill = shape == BrushShape::fill;
    if (piece.brush.radius < 0 || (piece.brush.radius == 0 && !box && !fill))
        refuse_piece(text, fill ? "the tolerance must be 0 or above" : "the radius must be above 0");
    const bool two_points = parts.size() == 7;
    if ((box && !two_points) || (fill && two_points))
        refuse_piece(text, box ? "a rectangle has two corners" : "a fill has one point");
    piece.joined = two_points && !box;
    piece.x0 = piece_number(text, parts[3]);
    piece.y0 = piece_number(text, parts[4]);
    piece.x1 = two_points ? piece_number(text, parts[5]) : piece.x0;
    piece.y1 = two_points ? piece_number(text, parts[6]) : piece.y0;
    return piece;
}

std::string to_string(const BrushPiece& piece) {
    const Brush& brush = piece.brush;
    const bool has_edge = brush.shape == BrushShape::round || brush.shape == BrushShape::square;
    const auto style = std::ranges::find_if(kStyles, [&](const StyleRow& row) {
        return row.add == brush.add && row.soft == (has_edge && brush.soft) && row.shape == brush.shape;
    });
    std::string text =
        fmt::format("{},{},{},{},{}", brush.value, brush.radius, style->name, piece.x0, piece.y0);
    if (piece.joined || brush.shape == BrushShape::rectangle)
        text += fmt::format(",{},{}", piece.x1, piece.y1);
    return text;
}

}  // namespace stencil
