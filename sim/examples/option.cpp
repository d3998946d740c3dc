#include "sim/examples/option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

using Kind = ExampleOption::Kind;

constexpr std::string_view kBackends[] = {"auto", "cpu", "cuda"};
constexpr std::string_view kDTypes[] = {"float32", "float64", "both"};

constexpr ExampleOption kCommonOptions[] = {
    {.name = "backend",
     .kind = Kind::choice,
     .value = "NAME",
     .help = "where it runs; auto is the CPU and the GPU",
     .standard = "auto",
     .choices = kBackends},
    {.name = "dtype",
     .kind = Kind::dtypes,
     .value = "NAME",
     .help = "the precision",
     .choices = kDTypes,
     .unset = "the example's own"},
    {.name = "repeats",
     .kind = Kind::integer,
     .value = "N",
     .help = "timed repeats, of which the median counts (default: by the time that one takes)",
     .least = 1,
     .most = 100000,
     .unset = "automatic"},
    {.name = "threads",
     .kind = Kind::integer,
     .value = "N",
     .help = "CPU threads (default: all)",
     .least = 1,
     .most = 4096,
     .unset = "all"},
    {.name = "memory-limit",
     .kind = Kind::bytes,
     .value = "BYTES",
     .help = "use no more GPU memory, e.g. 2GB; what does not fit is refused",
     .unset = "all that is free"},
};

std::vector<DType> parse_dtypes(std::string_view text, const std::string& setting) {
    std::vector<DType> dtypes;
    for (const std::string& name : split(text == "both" ? "float32,float64" : text, ',')) {
        const auto dtype = find_dtype(name);
        if (!dtype) throw InputError("{} {}: must be float32, float64 or both", setting, text);
        if (!contains(dtypes, *dtype)) dtypes.push_back(*dtype);
    }
    return dtypes;
}

void check_value(const ExampleOption& option, std::string_view text) {
    const std::string setting = fmt::format("--{}", option.name);
    switch (option.kind) {
        case Kind::integer:
            parse_integer(
                text, setting, static_cast<long long>(option.least), static_cast<long long>(option.most));
            return;
        case Kind::real:
            if (const double value = parse_real(text, setting); value < option.least || value > option.most)
                throw InputError(
                    "{} {}: must be a number from {} to {}", setting, text, option.least, option.most);
            return;
        case Kind::choice:
            if (!contains(option.choices, text))
                throw InputError("{} {}: must be one of {}", setting, text, fmt::join(option.choices, ", "));
            return;
        case Kind::flag:
            parse_flag(text, setting);
            return;
        case Kind::dtypes:
            parse_dtypes(text, setting);
            return;
        case Kind::bytes:
            parse_bytes(std::string(text), setting);
            return;
        case Kind::file:
            if (text.empty()) throw InputError("{}: needs the name of a file", setting);
            return;
        case Kind::text:
            return;
    }
}

}  // namespace

std::span<const ExampleOption> common_options() {
    return kCommonOptions;
}

const ExampleOption& OptionValues::find(std::string_view name) const {
    std::vector<std::string> known;
    for (const std::span<const ExampleOption> options : {options_, common_options()})
        for (const ExampleOption& option : options) {
            if (option.name == name) return option;
            known.emplace_back(option.name);
        }
    throw InputError(unknown_name_message("option", name, known));
}

void OptionValues::set(std::string_view name, std::string_view text) {
    const ExampleOption& option = find(name);
    check_value(option, text);
    std::vector<std::string>& values = given_[std::string(name)];
    if (!option.repeatable) values.clear();
    values.emplace_back(text);
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

std::vector<DType> OptionValues::dtypes(std::string_view name) const {
    return parse_dtypes(text(name), fmt::format("--{}", name));
}

std::uint64_t OptionValues::bytes(std::string_view name) const {
    return parse_bytes(text(name), fmt::format("--{}", name));
}

}  // namespace stencil
