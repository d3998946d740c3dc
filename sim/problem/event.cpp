#include "sim/problem/event.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "sim/files/held_arrays.h"
#include "sim/model/time_step.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
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
    throw InputError(Given{"at"},
                     "paint={}: {}; allowed: VALUE,RADIUS,STYLE,X,Y or VALUE,RADIUS,STYLE,X0,Y0,X1,Y1",
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
    known.emplace_back(kField);
    throw InputError(Given{"at"}, unknown_name_message("setting", name, known));
}

// Whether the name can be a model's parameter; this is checked once the model is known.
bool may_be_parameter(const std::string& name) {
    const auto is_part = [](unsigned char c) { return std::isalnum(c) || c == '_' || c >= 0x80; };
    return !name.empty() && std::ranges::all_of(name, is_part) && setting_named(name) == nullptr;
}

// The component that is painted, or set: "v" for "paint-v", empty (the first) for "paint". nullopt for
// others.
std::optional<std::string> component_after(std::string_view word, std::string_view name) {
    if (!name.starts_with(word)) return std::nullopt;
    name.remove_prefix(word.size());
    if (!name.empty() && name[0] != '-') return std::nullopt;
    return std::string(name.substr(std::min<std::size_t>(1, name.size())));
}

// Whether the value can only be checked once the model is known.
bool needs_model(std::string_view name) {
    return name == setting_name::method || name == setting_name::sensitivity;
}

}  // namespace

void add_events(EventList& events, std::vector<Event> more) {
    if (more.empty()) return;
    events.modify([&](std::vector<Event>& all) {
        const std::size_t before = all.size();
        std::ranges::move(more, std::back_inserter(all));
        const auto unknown = all.begin() + std::ptrdiff_t(std::max<std::size_t>(before, 1) - 1);
        if (!std::ranges::is_sorted(unknown, all.end(), {}, &Event::step))
            std::ranges::stable_sort(all, {}, &Event::step);
    });
}

void separate_decisions(RunSpec& spec) {
    // The choice that decided steps follow; UsualStep: not known, since the text was changed.
    TimeStep choice = undecided(spec.dt);
    StepLog log;
    std::vector<Event> events;
    for (Event event : spec.edits) {
        const SetSetting* set = event.setting();
        if (set && chooses_model(set->setting)) choice = UsualStep{};
        if (set && set->setting == setting_name::dt) {
            const TimeStep step = parse_time_step(set->value);
            const TimeStep before = std::exchange(choice, undecided(step));
            if (is_adaptive(step) && dt_of(step) > 0) {
                if (!log.empty() && log.back().step == event.step)
                    log.modify([](auto& all) { all.pop_back(); });
                log.push_back({event.step, dt_of(step)});
                if (choice == before) continue;
                event.change = SetSetting{set->setting, to_string(choice)};
            }
        }
        events.push_back(std::move(event));
    }
    if (log.empty()) return;
    spec.dt_log = std::move(log);
    spec.edits = EventList(std::move(events));
}

Event parse_event(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::size_t equals = text.find('=');
    if (colon == std::string_view::npos || equals == std::string_view::npos || equals < colon)
        throw InputError(Given{"at", quotable(text)}, "must be STEP:SETTING=VALUE, e.g. 500:coefficient=0.1");
    Event event;
    event.step = parse_integer(std::string(text.substr(0, colon)), "at", 0, kMaxSteps);
    const std::string name(present_name(text.substr(colon + 1, equals - colon - 1)));
    const std::string value(text.substr(equals + 1));
    if (const auto component = component_after(kPaint, name)) {
        event.change = Paint{parse_piece(value), *component};
        return event;
    }
    if (const auto component = component_after(kField, name)) {
        if (value.empty())
            throw InputError(Given{"at", quotable(text)}, "a formula or a file says the field's values");
        std::error_code failed;  // what is written may be read in another folder
        const bool is_file = std::filesystem::is_regular_file(value, failed) && !held_array(value);
        event.change =
            SetField{is_file ? std::filesystem::absolute(value, failed).lexically_normal().string() : value,
                     *component};
        return event;
    }
    event.change = SetSetting{name, value};
    if (may_be_parameter(name)) {
        parse_real(value, fmt::format("at {}: {}", event.step, name));
    } else if (!needs_model(name)) {
        const Setting& setting = editable_setting(name);
        static const RunSpec standard;
        RunSpec scratch = standard;
        try {
            setting.set(scratch, value);
        } catch (const InputError& error) {
            throw InputError(Given{"at", std::to_string(event.step)}, error.in_sentence());
        }
    }
    return event;
}

std::string to_string(const Event& event) {
    const auto text = [&](std::string_view name, std::string_view value) {
        return fmt::format("{}:{}={}", event.step, name, value);
    };
    if (const SetSetting* set = event.setting()) return text(set->setting, set->value);
    const auto of_component =
        [&](std::string_view word, const std::string& component, std::string_view value) {
            return text(component.empty() ? word : fmt::format("{}-{}", word, component), value);
        };
    if (const auto* field = std::get_if<SetField>(&event.change))
        return of_component(kField, field->component, field->what);
    const auto& [piece, component] = std::get<Paint>(event.change);
    return of_component(kPaint, component, to_string(piece));
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
