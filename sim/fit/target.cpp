#include "sim/fit/target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "sim/files/field_file.h"
#include "sim/files/held_arrays.h"
#include "sim/files/table.h"
#include "sim/initial/initial.h"
#include "sim/model/equations.h"
#include "sim/problem/start.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil::fitting {
namespace {

constexpr std::array<std::string_view, 3> kMoments{"step", "t", "time"};  // the exact one first

struct Words {
    std::string formula, file;
    std::optional<double> time;
};

bool is_there(const std::string& file) {
    std::error_code failed;
    return held_array(file) || std::filesystem::exists(file, failed);
}

// The first `=` that is no part of a comparison.
std::size_t find_equals(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '=') continue;
        const bool pair = i + 1 < text.size() && text[i + 1] == '=';
        if (pair) {
            ++i;
            continue;
        }
        if (i > 0 && std::string_view("<>!").find(text[i - 1]) != std::string_view::npos) continue;
        return i;
    }
    return text.npos;
}

Words split_target(const std::string& text) {
    Words words{"", text, {}};
    const std::size_t at = text.rfind('@');
    if (at != text.npos && !is_there(text)) {
        words.time = read_real(text.substr(at + 1));
        if (!words.time || !(*words.time >= 0) || !std::isfinite(*words.time))
            throw InputError(Given{"target", quotable(text)}, "what follows @ is a time, such as v.npy@600");
        words.file = text.substr(0, at);
    }
    const std::size_t equals = find_equals(words.file);
    if (equals == text.npos || is_there(words.file)) return words;
    words.formula = words.file.substr(0, equals);
    words.file = words.file.substr(equals + 1);
    return words;
}

equation::Equations with_formula(const Target& target, const RunSpec& run) {
    try {
        return equation::read_equations(run.model->text, {target.formula});
    } catch (const InputError& error) {
        throw InputError(Given{"target", quotable(target.name)}, error.sentence());
    }
}

bool is_uniform(const Target& target, const RunSpec& run) {
    const auto equations = with_formula(target, run);
    return equations.graph.depends(equations.extra.front()).uniform();
}

// The column of the values: that of the formula, or of its function (mean of mean(v)), or the only one.
std::size_t value_column(const Table& table, const std::vector<std::size_t>& others, const Target& target) {
    std::vector<std::string> names;
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < table.columns; ++i) {
        if (contains(others, i)) continue;
        columns.push_back(i);
        names.push_back(i < table.names.size() ? table.bare_name(i) : fmt::format("column {}", i + 1));
    }
    for (const std::string& wanted : {target.formula, target.formula.substr(0, target.formula.find('('))})
        if (const auto found = std::ranges::find(names, wanted); found != names.end())
            return columns[std::size_t(found - names.begin())];
    if (columns.size() != 1)
        throw InputError(Given{"target", quotable(target.name)},
                         "which column has the values? There are {}: name one as FORMULA={}",
                         names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")),
                         "FILE");
    return columns.front();
}

void read_moments(const Table& table, Target& target, const RunSpec& run) {
    std::optional<std::size_t> moment;
    for (const std::string_view name : kMoments)
        if (!moment) moment = table.column(name);
    if (!moment) moment = 0;  // without a line of names
    target.by_steps = table.column("step").has_value();
    std::vector<std::size_t> others{*moment};
    const auto x = table.column("x"), y = table.column("y");
    for (const std::string_view name : kMoments)
        if (const auto other = table.column(name)) others.push_back(*other);
    for (const auto& other : {x, y, table.column("probe")})
        if (other) others.push_back(*other);
    target.kind = x && y ? TargetKind::points : TargetKind::series;
    const std::size_t values = value_column(table, others, target);
    if (target.formula.empty() && target.kind == TargetKind::series && values < table.names.size() &&
        run.model->reads(table.bare_name(values)))
        target.formula = table.bare_name(values);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        target.times.push_back(table.at(row, *moment));
        target.values.push_back(table.at(row, values));
        if (x && y) target.points.push_back({table.at(row, *x), table.at(row, *y)});
    }
}

bool has_moments(const Table& table, const Target& target, const RunSpec& run) {
    const bool named =
        std::ranges::any_of(kMoments, [&](auto name) { return table.column(name).has_value(); });
    const bool pairs = table.names.empty() && table.columns == 2 && !target.formula.empty();
    return named || (pairs && is_uniform(target, run));
}

}  // namespace

Target read_target(const std::string& text, const RunSpec& run) {
    const Words words = split_target(text);
    Target target;
    target.name = text;
    target.formula = words.formula;
    if (!words.time && !held_array(words.file) && is_table_file(words.file))
        if (const Table table = read_table(words.file); has_moments(table, target, run)) {
            read_moments(table, target, run);
            return target;
        }
    InitialChoice choice = parse_initial(words.file);
    if (choice.file.empty())
        throw InputError(Given{"target", quotable(text)},
                         "must be an array, a table or a picture: a file of {}",
                         field_endings());
    choice.variable = words.formula;
    target.values = make_initial(choice, request_of(run, choice)).values();
    if (words.time) target.times = {*words.time};
    return target;
}

std::optional<Size> size_of_target(const std::string& text) {
    const Words words = split_target(text);
    if (!words.time && !held_array(words.file) && is_table_file(words.file)) return {};
    const auto size = initial_size(parse_initial(words.file));
    return size ? std::optional(Size{size->first, size->second}) : std::nullopt;
}

void complete(Target& target, const RunSpec& run) {
    const auto refuse = [&]<class... Args>(fmt::format_string<Args...> sentence, Args&&... args) {
        throw InputError(Given{"target", quotable(target.name)},
                         fmt::format(sentence, std::forward<Args>(args)...));
    };
    if (target.formula.empty()) target.formula = run.shown();
    const bool uniform = is_uniform(target, run);
    if (target.kind == TargetKind::series && !uniform)
        refuse("{} differs from cell to cell: take a value of the whole field, such as mean({})",
               target.formula,
               target.formula);
    if (target.size && *target.size != *run.size)
        refuse("the array is {}x{} and the field {}x{}",
               target.size->nx,
               target.size->ny,
               run.size->nx,
               run.size->ny);
    const std::size_t cells = std::size_t(run.size->nx) * std::size_t(run.size->ny);
    if (target.kind == TargetKind::field && target.values.size() != cells)
        refuse(
            "it has {} values, and the field {}x{} cells", target.values.size(), run.size->nx, run.size->ny);
    if (target.kind != TargetKind::field && target.times.size() != target.values.size())
        refuse("{} moments and {} values", target.times.size(), target.values.size());
    if (std::ranges::none_of(target.values, [](double value) { return std::isfinite(value); }))
        refuse("it has no value");
    for (const double value : target.values)
        if (std::isinf(value)) refuse("a value is infinite");
    for (const double time : target.times)
        if (!std::isfinite(time) || time < 0) refuse("a moment is {}: must be a number from 0 on", time);
    for (const SamplePoint& p : target.points)
        if (!(p.x >= 0 && p.x < run.size->nx && p.y >= 0 && p.y < run.size->ny))
            refuse("{},{} is outside of the field, {}x{} cells", p.x, p.y, run.size->nx, run.size->ny);
}

}  // namespace stencil::fitting
