// Tiles of resident kernels: how a block holds one, walks over it and exchanges its edges.
#pragma once

namespace stencil::equation {

/// Tile, Moment and what works on them, after resident_words().
const char* tile_functions();

/// Parts of the text of stages and of the kernel, in the order in which they stand there.
const char* patches_begin();
const char* kernel_begin();
const char* steps_begin();
const char* exchange_call();

}  // namespace stencil::equation
