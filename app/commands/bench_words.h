// The options of `stencilscope bench`.
#pragma once

#include <CLI/CLI.hpp>

#include "app/commands/bench_command.h"
#include "sim/run/settings.h"

namespace stencil {

/// Storage for the options of `bench`; must outlive the parsing.
class BenchWords {
  public:
    void add_to(CLI::App& app);

    /// Runs the command after parsing and returns the exit status. Throws as bench_command() does.
    int run();

  private:
    BenchRequest request_;
    SettingWords words_;
};

}  // namespace stencil
