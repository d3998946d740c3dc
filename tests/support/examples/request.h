// Runs an example as from the command line.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/examples/context.h"

namespace stencil_test {

using Options = std::vector<std::pair<std::string, std::string>>;

/// Makes the request of an example with command-line options.
inline stencil::ExampleRequest request(std::string_view name,
                                       const Options& options,
                                       const std::string& backend = "cpu") {
    stencil::ExampleRequest asked = stencil::request_for(stencil::find_example(name));
    for (const Options& some : {Options{{"backend", backend}, {"repeats", "2"}, {"threads", "2"}}, options})
        for (const auto& [option, value] : some) asked.options.set(option, value);
    return asked;
}

inline void limit_memory(stencil::ExampleRequest& asked, std::uint64_t bytes) {
    asked.options.set("memory-limit", std::to_string(bytes));
}

inline stencil::Report run_on_cpu(std::string_view name, const Options& options) {
    return stencil::run_example(request(name, options), stencil::query_machine(), {});
}

}  // namespace stencil_test
