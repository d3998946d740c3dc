// The interface of a user's kernel: declarations that precede its text.
#pragma once

#include <string>
#include <vector>

#include "kernels/field/boundary.h"
#include "sim/field/field.h"
#include "sim/run/run_spec.h"
#include "sim/user_kernel/launch_shape.h"

namespace stencil::user_kernel {

struct Entry {
    std::string model;  ///< for messages
    DType dtype = DType::float32;
    std::vector<std::string> components;  ///< members of From and To
    std::vector<std::string> parameters;  ///< members of Parameters, in the order of parameter_values()
    std::string boundary = "zero";        ///< enumerator of Boundary; "other": sides differ
    bool of_time = false;                 ///< the last parameter is the time
};

/// Makes the entry of a run whose time step is resolved. Diffusion has the parameter c; other models have all
/// of theirs, then dt, dx and, if anything depends on it, t. Throws InputError for models that a kernel
/// cannot get all inputs of: random numbers, pictures.
Entry entry_of(const Problem& spec);
/// Returns the enumerator of Boundary.
std::string boundary_of(const Problem& spec);
/// Returns the values for a step at the given time.
std::vector<double> parameter_values(const Entry& entry,
                                     const StepParameters& params,
                                     double spacing,
                                     double t);

/// Assembles the declarations, the user's text with its own line numbers, and a check of the signature.
std::string whole_text(const Entry& entry,
                       const LaunchShape& shape,
                       const std::string& text,
                       const std::string& file);

/// Returns the file's name as it appears in the compiler's messages.
std::string name_for_compiler(const std::string& file);

/// Returns for example "extern "C" __global__ void step(From from, To to, Size size, Parameters p)".
std::string signature(const LaunchShape& shape);

/// File names in messages about errors outside the user's text.
inline constexpr std::string_view kDeclarationsFile = "the declarations before the text";
inline constexpr std::string_view kSignatureFile = "the signature of the entry";

}  // namespace stencil::user_kernel
