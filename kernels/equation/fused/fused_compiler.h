// Compiles fused and resident kernels in the background.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "kernels/equation/fused/fused_shape.h"
#include "kernels/equation/text/fused_program.h"

namespace stencil::equation {

/// Compiles a text for the current GPU. Called on other threads; throws on failure.
using CubinCompiler = std::function<std::string(const std::string& text)>;

/// Steps without fused kernels: "one step per launch" or "one stage per launch".
std::string name_of_launches(std::size_t stages);

class FusedCompiler {
  public:
    struct Compiled {
        KernelShape shape;
        std::string cubin;
    };

    /// Starts compiling the most promising kernels of a field on a GPU.
    FusedCompiler(
        const Program& program, bool float64, FieldCells size, const GpuFacts& gpu, CubinCompiler compile);
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
    /// Why there are no such kernels or why compiling failed, in one line.
    std::string why_not() const;

  private:
    struct Work;
    std::shared_ptr<Work> work_;
    std::vector<std::future<void>> tasks_;
};

}  // namespace stencil::equation
