// A user's kernel: its compilation to machine code, or a one-line error; and what then steps a model.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/methods/method.h"
#include "sim/user_kernel/entry.h"

namespace stencil::user_kernel {

/// Resources that a kernel uses, as reported by the compiler.
struct Usage {
    int registers = 0;     ///< per thread
    int spill_bytes = 0;   ///< spill stores and loads per thread
    int local_bytes = 0;   ///< local memory per thread
    int shared_bytes = 0;  ///< static, per block
};

struct Compiled {
    std::string cubin;
    Usage usage;
    int compute_capability = 0;  ///< 90 means 9.0

    /// Returns for example "compiled for sm_90: 24 registers, no spills".
    std::string summary() const;
};

/// Finds a kernel's resources in the compiler's log; empty if the kernel is not there.
std::optional<Usage> usage_of(const std::string& log, std::string_view kernel);

/// Throws InputError for errors in the text (with the user's line numbers), a missing entry or wrong
/// signature, and too many registers or too much shared memory for a block; CudaError if there is no
/// compiler.
Compiled compile(const Entry& entry,
                 const LaunchShape& shape,
                 const std::string& text,
                 const std::string& file,
                 int compute_capability);

/// Throws InputError with the first mistake that a compiler (NVRTC, or one of the system) told of a text;
/// `whole` is the text with its declarations.
[[noreturn]] void refuse(const LaunchShape& shape,
                         const std::string& text,
                         const std::string& file,
                         const std::string& whole,
                         const std::string& log);

/// Launches per CUDA graph; even, so that the double buffer ends as it began.
inline constexpr int kLaunchesTogether = 32;

struct UserKernel {
    std::string name;  ///< of its file, such as "heat.cu"
    Entry entry;
    LaunchShape shape;
    Compiled compiled;
    /// The configuration that it was compiled for.
    std::shared_ptr<const Model> model;
    equation::Integrator integrator;
    double spacing = 1;
    Method method;  ///< like a row of the methods' table, with this name
};

/// Compiles a kernel for runs like `spec`. `file` is a path or a name. Throws as compile() and entry_of() do.
std::shared_ptr<const UserKernel> make_user_kernel(const RunSpec& spec,
                                                   const std::string& text,
                                                   const std::string& file,
                                                   int compute_capability);

/// Returns whether the spec has a kernel that was made for its configuration.
bool fits(const Configuration& spec);
/// Returns the name of the kernel or, without one, of the method.
std::string stepped_by(const RunSpec& spec);

/// Makes a row of the methods' table for the kernel's figures; `name` must outlive it.
Method method_row(std::string_view name, const RunSpec& spec, int steps_a_launch);

}  // namespace stencil::user_kernel
