#include "sim/examples/example.h"

#include <fmt/format.h>

#include <vector>

#include "sim/text/names.h"
#include "sim/text/shell_words.h"

namespace stencil {
namespace {

// A value that looks like an option itself has to hang on to its own.
std::string spelled(std::string_view name, const std::string& value) {
    const bool dash = value.starts_with('-');
    return fmt::format(" --{}{}{}", name, dash ? "=" : " ", quoted_for_shell(value));
}

}  // namespace

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
            const auto values = request.options.all(option.name);
            if (option.kind == ExampleOption::Kind::flag) {
                if (values.back() == "true") text += fmt::format(" --{}", option.name);
                continue;
            }
            for (const std::string& value : values)
                if (option.repeatable || value != option.standard) text += spelled(option.name, value);
        }
    if (!request.out.empty()) text += spelled("out", request.out);
    return text;
}

}  // namespace stencil
