#include "sim/examples/example.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/text/shell_words.h"

namespace stencil {
namespace {

constexpr int kMaxRepeats = 100000, kMaxThreads = 4096;
constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
constexpr std::string_view kBackends[] = {"cpu", "cuda"};
constexpr std::string_view kDTypes[] = {"float32", "float64", "both"};

void set_backend(ExampleRequest& request, const std::string& text) {
    if (text != "auto" && text != "cpu" && text != "cuda")
        throw InputError(fmt::format("--backend {}: must be auto, cpu or cuda", text));
    request.backend = text;
}

void set_dtype(ExampleRequest& request, const std::string& text) {
    std::vector<DType> dtypes;
    for (const std::string& name : split(text == "both" ? "float32,float64" : text, ',')) {
        const auto dtype = find_dtype(name);
        if (!dtype) throw InputError(fmt::format("--dtype {}: must be float32, float64 or both", text));
        if (!contains(dtypes, *dtype)) dtypes.push_back(*dtype);
    }
    request.dtypes = std::move(dtypes);
}

std::string count_text(int count) {
    return count == 0 ? "" : std::to_string(count);
}

constexpr RequestOption kOptions[] = {
    {"backend",
     "NAME",
     "auto (CPU and GPU), cpu or cuda",
     "auto",
     kBackends,
     set_backend,
     [](const ExampleRequest& r) { return r.backend == "auto" ? std::string() : r.backend; }},
    {"dtype",
     "NAME",
     "float32, float64 or both",
     "the example's own",
     kDTypes,
     set_dtype,
     [](const ExampleRequest& r) { return dtype_text(r.dtypes); }},
    {"repeats",
     "N",
     "timed repeats, of which the median counts (default: by the time that one takes)",
     "automatic",
     {},
     [](ExampleRequest& r, const std::string& text) {
         r.repeats = int(parse_integer(text, "--repeats", 1, kMaxRepeats));
     },
     [](const ExampleRequest& r) { return count_text(r.repeats); }},
    {"threads",
     "N",
     "CPU threads (default: all)",
     "all",
     {},
     [](ExampleRequest& r, const std::string& text) {
         r.threads = int(parse_integer(text, "--threads", 1, kMaxThreads));
     },
     [](const ExampleRequest& r) { return count_text(r.threads); }},
    {"memory-limit",
     "BYTES",
     "use no more GPU memory, e.g. 2GB: matmul then computes out of core, others refuse what does not fit",
     "all that is free",
     {},
     [](ExampleRequest& r, const std::string& text) { r.memory_limit = parse_bytes(text, "--memory-limit"); },
     [](const ExampleRequest& r) {
         return r.memory_limit == kNoLimit ? std::string() : std::to_string(r.memory_limit);
     }},
};

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
    const auto example = std::ranges::find(examples(), name, &Example::name);
    if (example != examples().end()) return *example;
    std::vector<std::string> known;
    for (const Example& one : examples()) known.emplace_back(one.name);
    throw InputError(unknown_name_message("example", name, known));
}

ExampleRequest request_for(const Example& example) {
    ExampleRequest request;
    request.example = &example;
    request.options = OptionValues(example.options);
    return request;
}

std::span<const RequestOption> request_options() {
    return kOptions;
}

std::string dtype_text(std::span<const DType> dtypes) {
    std::vector<std::string_view> names;
    for (const DType dtype : dtypes) names.push_back(name_of(dtype));
    const std::string text = fmt::format("{}", fmt::join(names, ","));
    return text == "float32,float64" ? "both" : text;
}

std::string command_text(const ExampleRequest& request) {
    std::string text = fmt::format("stencilscope example {}", request.example->name);
    for (const ExampleOption& option : request.example->options) {
        if (!request.options.given(option.name)) continue;
        const auto values = request.options.all(option.name);
        if (option.kind == ExampleOption::Kind::flag) {
            if (values.back() == "true") text += fmt::format(" --{}", option.name);
            continue;
        }
        for (const std::string& value : values)
            if (option.repeatable || value != option.standard) text += spelled(option.name, value);
    }
    for (const RequestOption& option : request_options())
        if (const std::string value = option.text(request); !value.empty())
            text += spelled(option.name, value);
    if (!request.out.empty()) text += spelled("out", request.out);
    return text;
}

}  // namespace stencil
