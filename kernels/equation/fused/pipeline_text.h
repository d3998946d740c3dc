// The part of fused kernels that is the same for all programs, as CUDA C.
#pragma once

namespace stencil::equation {

/// Barriers, bulk copies (Hopper's) and shuffles: what an emulation replaces.
const char* pipeline_words();
/// What the stages of a program are written with.
const char* pipeline_functions();
/// The kernel itself, after the stages.
const char* pipeline_kernel();

}  // namespace stencil::equation
