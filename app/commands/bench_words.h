// The words of `stencilscope bench`.
#pragma once

#include <CLI/CLI.hpp>

#include "app/commands/bench_command.h"
#include "sim/run/settings.h"

namespace stencil {

/// What the options of `bench` fill; must outlive the parsing.
class BenchWords {
  public:
    void add_to(CLI::App& app);

    /// After parsing. Returns the exit status. Throws as bench_command() does.
    int run();

  private:
    BenchRequest request_;
    SettingWords words_;
};

}  // namespace stencil
