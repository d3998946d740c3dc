// Fused kernels that are compiled while steps go on without them.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernels/equation/fused/fused_program.h"
#include "kernels/equation/fused/fused_text.h"
#include "kernels/equation/resident/resident_plan.h"

namespace stencil::equation {

/// Machine code of a text for the GPU at hand. Called on other threads; throws where that fails.
using CubinCompiler = std::function<std::string(const std::string& text)>;

/// "16 steps a pass, 2 x 4 warps, 8 columns": blocks on a multiprocessor, warps of each, columns of a thread.
std::string name_of(const FusedShape& shape);
/// Of what is made without fused kernels: "one step a launch", or of several stages "one stage a launch".
std::string name_of_launches(std::size_t stages);

/// Of a fused kernel, or of a resident one.
using KernelShape = std::variant<FusedShape, ResidentShape>;

class FusedCompiler {
  public:
    struct Compiled {
        KernelShape shape;
        std::string cubin;
    };

    /// Begins with the shapes of a program that promise most for a field of `nx` columns, and with those of
    /// resident kernels where there is a GPU on which a field of `ny` rows fits.
    FusedCompiler(const Program& program,
                  bool float64,
                  int nx,
                  CubinCompiler compile,
                  int ny = 0,
                  const std::optional<ResidentDevice>& device = {});
    /// Does not wait for what is being compiled.
    ~FusedCompiler();
    /// Something still is, though nobody waits for it. The end of the process would, since it uses what goes
    /// then; std::_Exit() does not.
    static bool any_abandoned();
    FusedCompiler(const FusedCompiler&) = delete;
    FusedCompiler& operator=(const FusedCompiler&) = delete;

    const FusedProgram& program() const;
    /// Something is being compiled, or ready to be taken.
    bool working() const;
    /// What has become ready since.
    std::vector<Compiled> take();
    /// Until nothing more is to come.
    void wait();
    /// Where compiling failed: the reason, in a line.
    std::string why_not() const;

  private:
    struct Work;
    std::shared_ptr<Work> work_;
    std::vector<std::future<void>> tasks_;
};

}  // namespace stencil::equation
