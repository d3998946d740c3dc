#include "sim/examples/example.h"

#include <algorithm>

#include "sim/text/error.h"
#include "sim/text/names.h"

namespace stencil {

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

}  // namespace stencil
