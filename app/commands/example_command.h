// stencilscope example: the classic workloads of GPU computing, on the CPU and the GPU.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

#include "sim/examples/example.h"

namespace stencil {

struct ExampleOrder {
    ExampleRequest request;
    std::string json;  ///< file for the report; empty: none
    bool quiet = false;
};

/// Adds the command `example` with a subcommand for each row of the table of examples.
class ExampleWords {
  public:
    void add_to(CLI::App& app);

    /// Returns the command to run if `example` was given. Call it after parsing. Throws InputError.
    std::function<int()> command() const;

    /// The parsed request, if an example was given.
    const ExampleOrder& order() const { return *order_; }

  private:
    void add_one(CLI::App& group, const Example& example);

    CLI::App* group_ = nullptr;
    bool list_ = false;
    std::shared_ptr<ExampleOrder> order_ = std::make_shared<ExampleOrder>();
};

/// Parses words such as "ridge --rows 500", quoted as in a shell. Throws InputError.
ExampleRequest read_example(const std::string& words);

}  // namespace stencil
