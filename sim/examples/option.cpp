#include "sim/examples/option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

void check_real(const ExampleOption& option, std::string_view text, const std::string& setting) {
    const double value = parse_real(text, setting);
    if (value < option.least || value > option.most)
        throw InputError(
            fmt::format("{} {}: must be a number from {} to {}", setting, text, option.least, option.most));
}

void check_choice(const ExampleOption& option, std::string_view text, const std::string& setting) {
    if (std::ranges::find(option.choices, text) != option.choices.end()) return;
    throw InputError(fmt::format("{} {}: must be one of {}", setting, text, fmt::join(option.choices, ", ")));
}

void check_value(const ExampleOption& option, std::string_view text) {
    const std::string setting = fmt::format("--{}", option.name);
    using Kind = ExampleOption::Kind;
    switch (option.kind) {
        case Kind::integer:
            parse_integer(
                text, setting, static_cast<long long>(option.least), static_cast<long long>(option.most));
            return;
        case Kind::real:
            check_real(option, text, setting);
            return;
        case Kind::choice:
            check_choice(option, text, setting);
            return;
        case Kind::flag:
            parse_flag(text, setting);
            return;
        case Kind::file:
            if (text.empty()) throw InputError(fmt::format("{}: needs the name of a file", setting));
            return;
        case Kind::text:
            return;
    }
}

}  // namespace

const ExampleOption& OptionValues::find(std::string_view name) const {
    const auto option = std::ranges::find(options_, name, &ExampleOption::name);
    if (option != options_.end()) return *option;
    std::vector<std::string> known;
    for (const ExampleOption& one : options_) known.emplace_back(one.name);
    throw InputError(unknown_name_message("option", name, known));
}

void OptionValues::set(std::string_view name, std::string_view text) {
    const ExampleOption& option = find(name);
    check_value(option, text);
    std::vector<std::string>& values = given_[std::string(name)];
    if (!option.repeatable) values.clear();
    values.emplace_back(text);
}

void OptionValues::clear(std::string_view name) {
    given_.erase(std::string(find(name).name));
}

bool OptionValues::given(std::string_view name) const {
    const auto values = given_.find(find(name).name);
    return values != given_.end() && !values->second.empty();
}

std::string OptionValues::text(std::string_view name) const {
    const std::vector<std::string> values = all(name);
    return values.empty() ? std::string() : values.back();
}

std::vector<std::string> OptionValues::all(std::string_view name) const {
    const ExampleOption& option = find(name);
    if (given(name)) return given_.find(name)->second;
    if (option.standard.empty()) return {};
    return {std::string(option.standard)};
}

long long OptionValues::integer(std::string_view name) const {
    const ExampleOption& option = find(name);
    return parse_integer(text(name),
                         fmt::format("--{}", name),
                         static_cast<long long>(option.least),
                         static_cast<long long>(option.most));
}

double OptionValues::real(std::string_view name) const {
    return parse_real(text(name), fmt::format("--{}", name));
}

bool OptionValues::flag(std::string_view name) const {
    return text(name) == "true";
}

}  // namespace stencil
