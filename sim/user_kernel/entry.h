// The interface of a user's kernel: its launch configuration, given in comments of its file, and the
// declarations that precede its text.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/field/boundary.h"
#include "sim/field/field.h"
#include "sim/problem/run_spec.h"

namespace stencil::user_kernel {

/// Parsed from lines such as "// stencilscope: block 32x8, tile 128x8, steps 4, shared 20480".
struct LaunchShape {
    int block_x = 32, block_y = 8;  ///< threads
    int tile_x = 32, tile_y = 8;    ///< cells computed by a block; by default its threads
    int steps = 1;                  ///< most steps per launch
    bool fused = false;             ///< `steps` was given: the entry is named `steps` instead of `step`
    int shared_bytes = 0;           ///< dynamic shared memory per block
    std::vector<std::pair<int, int>> also = {};  ///< further blocks that the ladder measures

    friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
    std::string_view entry() const { return fused ? "steps" : "step"; }
};

/// Throws InputError with file name, line and what is allowed.
LaunchShape read_launch_shape(std::string_view text, const std::string& file);

/// The kernel's argument `size`, with the layout of the struct Size in the declarations. The pitch is wide,
/// so that y * size.pitch + x does not overflow.
struct SizeArgument {
    int nx = 0, ny = 0;
    long long pitch = 0;
};

struct Entry {
    std::string model;  ///< for messages
    DType dtype = DType::float32;
    std::vector<std::string> components;  ///< members of From and To
    std::vector<std::string> parameters;  ///< members of Parameters, in the order of parameter_values()
    std::string boundary = "zero";        ///< enumerator of Boundary; "other": sides differ
    bool of_time = false;                 ///< the last parameter is the time
};

/// Makes the entry of a run whose time step is resolved. Diffusion has the parameter c; other models have all
/// of theirs, then dt, dx and, if anything depends on it, t. Throws InputError for models with inputs that a
/// kernel cannot get: random numbers, pictures.
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
