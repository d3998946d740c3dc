// Compiles fused and resident kernels in the background.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernels/equation/fused/fused_text.h"
#include "kernels/equation/resident/resident_plan.h"
#include "kernels/equation/text/fused_program.h"

namespace stencil::equation {

/// Compiles a text for the current GPU. Called on other threads; throws on failure.
using CubinCompiler = std::function<std::string(const std::string& text)>;

/// "16 steps per pass, 2 x 4 warps, 8 columns": blocks per multiprocessor, warps per block, columns per
/// thread.
std::string name_of(const FusedShape& shape);
/// Steps without fused kernels: "one step per launch" or "one stage per launch".
std::string name_of_launches(std::size_t stages);

/// The shape of a fused or of a resident kernel.
using KernelShape = std::variant<FusedShape, ResidentShape>;

class FusedCompiler {
  public:
    struct Compiled {
        KernelShape shape;
        std::string cubin;
    };

    /// Starts compiling the most promising fused shapes for a field of `nx` columns, and resident ones if the
    /// field of `ny` rows fits on the device.
    FusedCompiler(const Program& program,
                  bool float64,
                  int nx,
                  CubinCompiler compile,
                  int ny = 0,
                  const std::optional<ResidentDevice>& device = {});
    /// Does not wait for running compilations.
    ~FusedCompiler();
    /// Whether such compilations still run; a normal exit waits for them, std::_Exit() does not.
    static bool any_abandoned();
    FusedCompiler(const FusedCompiler&) = delete;
    FusedCompiler& operator=(const FusedCompiler&) = delete;

    const FusedProgram& program() const;
    /// Something is being compiled or ready to be taken.
    bool working() const;
    /// The kernels that have become ready since the last call.
    std::vector<Compiled> take();
    /// Waits for all compilations.
    void wait();
    /// Why compiling failed, in one line.
    std::string why_not() const;

  private:
    struct Work;
    std::shared_ptr<Work> work_;
    std::vector<std::future<void>> tasks_;
};

}  // namespace stencil::equation
