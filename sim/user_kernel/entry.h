// What a kernel of the user's is written against: the few declarations that stand before its text.
#pragma once

#include <string>
#include <vector>

#include "kernels/field/boundary.h"
#include "sim/field/field.h"
#include "sim/run/run_spec.h"
#include "sim/user_kernel/launch_shape.h"

namespace stencil::user_kernel {

struct Entry {
    std::string model;  ///< its name, for messages
    DType dtype = DType::float32;
    std::vector<std::string> components;  ///< as members of From and To
    std::vector<std::string> parameters;  ///< as members of Parameters, in the order of parameter_values()
    std::string boundary = "zero";        ///< an enumerator of Boundary; "other": each side has its own
    bool of_time = false;                 ///< the last parameter is the time
};

/// Of a run whose time step is decided: diffusion has the one parameter c, others all of the model's, then
/// dt, dx and, where anything depends on it, t. Throws InputError where a kernel cannot be told all that the
/// model has: random numbers, pictures.
Entry entry_of(const Problem& spec);
/// The enumerator of Boundary.
std::string boundary_of(const Problem& spec);
/// At the time of a step.
std::vector<double> parameter_values(const Entry& entry,
                                     const StepParameters& params,
                                     double spacing,
                                     double t);

/// The declarations, the user's text with its own line numbers, and a check of the signature.
std::string whole_text(const Entry& entry,
                       const LaunchShape& shape,
                       const std::string& text,
                       const std::string& file);

/// The file, as it stands in the compiler's messages.
std::string name_for_compiler(const std::string& file);

/// "extern "C" __global__ void step(From from, To to, Size size, Parameters p)"
std::string signature(const LaunchShape& shape);

/// The names under which the compiler tells mistakes in what stands around the text.
inline constexpr std::string_view kDeclarationsFile = "the declarations before the text";
inline constexpr std::string_view kSignatureFile = "the signature of the entry";

}  // namespace stencil::user_kernel
