// The parts of fused kernels that are the same for all programs, as CUDA C.
#pragma once

namespace stencil::equation {

/// Hopper's barriers, bulk copies and shuffles; an emulation on the CPU replaces them.
const char* pipeline_words();
/// Helper functions that the stages call.
const char* pipeline_functions();
/// The kernel itself, which follows the stages.
const char* pipeline_kernel();

}  // namespace stencil::equation
