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

/// A compiler, and a memory of the fastest kernels that lasts longer than a stepper.
struct KernelMaker {
    CubinCompiler compile;
    /// The name of the kernel that was kept for these candidates; empty if there is none.
    std::function<std::string(const std::string& candidates)> fastest = {};
    std::function<void(const std::string& candidates, const std::string& name)> keep_fastest = {};
};

/// Steps without fused kernels: "one step per launch" or "one stage per launch".
std::string name_of_launches(std::size_t stages);

class FusedCompiler {
  public:
    struct Compiled {
        KernelShape shape;
        std::string cubin;
    };

    /// Starts compiling the most promising kernels of a field on a GPU, or the fastest of them alone if an
    /// earlier run has timed them and `try_all` is false.
    FusedCompiler(const Program& program,
                  bool float64,
                  FieldCells size,
                  const GpuFacts& gpu,
                  KernelMaker maker,
                  bool try_all);
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
    /// Remembers the fastest kernel for later runs, once all were compiled and taken.
    void keep_fastest(const std::string& name);
    /// Waits for all compilations.
    void wait();
    /// Why there are no such kernels or why compiling failed, in one line.
    std::string why_not() const;

  private:
    struct Work;
    std::shared_ptr<Work> work_;
    std::vector<std::future<void>> tasks_;
    std::string candidates_;  ///< what the fastest kernel is kept by; empty once it is kept
};

}  // namespace stencil::equation
