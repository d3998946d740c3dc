#include "sim/examples/example.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/text/shell_words.h"

namespace stencil {
namespace {

using Kind = ExampleOption::Kind;

constexpr std::string_view kBackends[] = {"auto", "cpu", "cuda"};
constexpr std::string_view kDTypes[] = {"float32", "float64", "both"};

constexpr ExampleOption kCommonOptions[] = {
    {"backend", Kind::choice, "NAME", "where it runs; auto is both", "auto", 0, 0, {}, kBackends},
    {"dtype", Kind::dtypes, "NAME", "the precision", "", 0, 0, {}, kDTypes, false, "the example's own"},
    {"repeats", Kind::integer, "N", "timed repeats; the median counts", "", 1, 100000, {}, {}, false, "auto"},
    {"threads", Kind::integer, "N", "CPU threads", "", 1, 4096, {}, {}, false, "all"},
    {"memory-limit", Kind::bytes, "BYTES", "most GPU memory", "", 0, 0, {}, {}, false, "all that is free"},
};

std::vector<DType> parse_dtypes(std::string_view text, std::string_view setting) {
    std::vector<DType> dtypes;
    for (const std::string& name : split(text == "both" ? "float32,float64" : text, ',')) {
        const auto dtype = find_dtype(name);
        if (!dtype) throw InputError(Given{setting, text}, "must be float32, float64 or both");
        if (!contains(dtypes, *dtype)) dtypes.push_back(*dtype);
    }
    return dtypes;
}

// The value of an option's text. Throws InputError.
ExampleValue parsed(const ExampleOption& option, const std::string& text) {
    const std::string_view setting = option.name;
    switch (option.kind) {
        case Kind::integer:
            return parse_integer(text, setting, (long long)(option.least), (long long)(option.most));
        case Kind::real: {
            const double value = parse_real(text, setting);
            if (value >= option.least && value <= option.most) return value;
            throw InputError(
                Given{setting, text}, "must be a number from {} to {}", option.least, option.most);
        }
        case Kind::names: {
            std::vector<std::string> names = names_in(text, option.choices);
            const std::vector<std::string> known(option.choices.begin(), option.choices.end());
            for (const std::string& name : names)
                if (!contains(known, name))
                    throw InputError(Given{setting}, unknown_name_message("name", name, known));
            return names;
        }
        case Kind::dtypes:
            return parse_dtypes(text, setting);
        case Kind::bytes:
            return parse_bytes(text, setting);
        case Kind::choice:
            if (contains(option.choices, text)) return text;
            throw InputError(Given{setting, text}, "must be one of {}", fmt::join(option.choices, ", "));
        case Kind::file:
            if (text.empty()) throw InputError(Given{setting}, "needs the name of a file");
            break;
        case Kind::text:
            break;
    }
    return text;
}

// A value that looks like an option itself has to hang on to its own.
std::string spelled(std::string_view name, const std::string& value) {
    const bool dash = value.starts_with('-');
    return fmt::format(" --{}{}{}", name, dash ? "=" : " ", quoted_for_shell(value));
}

}  // namespace

std::vector<std::string> names_in(std::string_view list, std::span<const std::string_view> choices) {
    return list == "all" ? std::vector<std::string>(choices.begin(), choices.end()) : split(list, ',');
}

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
    parsed(option, std::string(text));
    std::vector<std::string>& values = given_[std::string(name)];
    if (!option.repeatable) values.clear();
    values.emplace_back(text);
}

bool OptionValues::given(std::string_view name) const {
    return given_.contains(find(name).name);
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

ExampleValue OptionValues::value(std::string_view name) const {
    return parsed(find(name), text(name));
}

// In the order in which a newcomer would try them: from arithmetic on each element to whole solvers.
std::span<const Example> examples() {
    static const Example table[] = {
        kElementwiseExample,
        kAddExample,
        kDotExample,
        kReduceExample,
        matmul::kMatmulExample,
        einsum::kEinsumExample,
        ridge::kRidgeExample,
    };
    return table;
}

const Example& find_example(std::string_view name) {
    return row_named(examples(), "example", name);
}

ExampleRequest request_for(const Example& example) {
    ExampleRequest request;
    request.example = &example;
    request.options = OptionValues(example.options);
    return request;
}

std::vector<DType> ExampleRequest::dtypes() const {
    if (options.given("dtype")) return options.dtypes("dtype");
    return {example->dtypes.begin(), example->dtypes.end()};
}

int ExampleRequest::repeats() const {
    return options.given("repeats") ? int(options.integer("repeats")) : 0;
}

int ExampleRequest::threads() const {
    return options.given("threads") ? int(options.integer("threads")) : 0;
}

std::uint64_t ExampleRequest::memory_limit() const {
    return options.given("memory-limit") ? options.bytes("memory-limit") : kNoMemoryLimit;
}

std::string command_text(const ExampleRequest& request) {
    std::string text = fmt::format("stencilscope example {}", request.example->name);
    for (const auto options : {request.example->options, common_options()})
        for (const ExampleOption& option : options) {
            if (!request.options.given(option.name)) continue;
            for (const std::string& value : request.options.all(option.name))
                if (option.repeatable || value != option.standard) text += spelled(option.name, value);
        }
    if (!request.out.empty()) text += spelled("out", request.out);
    return text;
}

}  // namespace stencil
