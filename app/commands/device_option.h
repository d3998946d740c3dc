// --device N, which every command has.
#pragma once

#include <CLI/CLI.hpp>

#include "sim/machine/machine.h"

namespace stencil {

inline void add_device(CLI::App& command) {
    command
        .add_option_function<std::string>(
            "--device",
            [](const std::string& number) { choose_gpu(number); },
            "which GPU, by its number in 'stencilscope devices' (default: the first that can be used)")
        ->type_name("N")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

}  // namespace stencil
