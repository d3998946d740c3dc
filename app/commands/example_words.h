// The words of `stencilscope example NAME`.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

#include "app/commands/example_command.h"

namespace stencil {

/// `example` and a command of each row of the table beneath it; its options are those of the row.
class ExampleWords {
  public:
    void add_to(CLI::App& app);

    /// After parsing, where `example` was chosen. Throws InputError.
    std::function<int()> command() const;

    /// What the words asked for, where an example was named.
    const ExampleOrder& order() const { return *order_; }

  private:
    void add_one(CLI::App& group, const Example& example);

    CLI::App* group_ = nullptr;
    bool list_ = false;
    std::shared_ptr<ExampleOrder> order_ = std::make_shared<ExampleOrder>();
};

/// "ridge --rows 500", quoted as in a shell. Throws InputError.
ExampleRequest read_example(const std::string& words);

}  // namespace stencil
