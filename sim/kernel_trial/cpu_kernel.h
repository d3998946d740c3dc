// A user's kernel compiled for the CPU by the system's C++ compiler, so that it is checked without a GPU too.
#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "sim/kernel_trial/check.h"
#include "sim/kernel_trial/emulator.h"
#include "sim/kernel_trial/traffic.h"
#include "sim/machine/system_compiler.h"

namespace stencil::user_kernel {

/// What a kernel did that no kernel may, in a sentence without an end.
struct KernelFault : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class CpuKernel {
  public:
    /// Throws InputError for mistakes in the text, MachineError without a compiler.
    CpuKernel(const Entry& entry, const LaunchShape& shape, const std::string& text, const std::string& file);

    /// Launches it between arrays on the host, each time in another order of its threads. It throws
    /// KernelFault. `this` must outlive it.
    template <class T>
    Launch<T> launcher(const StepParameters& params, double spacing);

    /// Adds to a fault of an Outcome the line that causes it, where the last launch has shown one.
    std::string with_line(const std::string& fault) const;

    /// Launches on one field and counts accesses.
    Traffic traffic(const StepParameters& params, double spacing);

    /// Runs the last block of a field of more cells than an int can number. Returns the fault, if any.
    std::string large_field_fault(const StepParameters& params, double spacing);

  private:
    template <class T>
    std::string run(const EmulatedGrid& grid,
                    int nx,
                    int ny,
                    int pitch,
                    std::vector<EmulatedField> from,
                    std::vector<EmulatedField> to,
                    const std::vector<double>& values,
                    int steps);
    EmulatedGrid grid_for(int nx, int ny) const;
    template <class T>
    Traffic traffic_of(const StepParameters& params, double spacing);
    template <class T>
    std::string large_fault_of(const StepParameters& params, double spacing);
    int line_number(Place place) const;

    Entry entry_;
    LaunchShape shape_;
    std::string text_, file_, library_bytes_;
    std::unique_ptr<LoadedLibrary> library_;
    std::unique_ptr<Emulator> emulator_;
    Place base_ = 0;  ///< where the library is loaded
    LineOf line_;
    mutable std::map<Place, int> lines_;
    unsigned launches_ = 0;
};

/// `$CXX`, else c++. Throws MachineError if there is no compiler.
SystemCompiler find_cpp_compiler();

}  // namespace stencil::user_kernel
