// Tiles of resident kernels: layout, iteration and exchange of borders.
#pragma once

namespace stencil::equation {

/// Tile, StepInputs and the functions on them; follows resident_words().
const char* tile_functions();

/// Parts of stages and of the kernel, in the order of emission.
const char* patches_begin();
const char* kernel_begin();
const char* steps_begin();
const char* exchange_call();

}  // namespace stencil::equation
