// Fused kernels that are compiled while steps go on without them.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "kernels/equation/fused/fused_program.h"
#include "kernels/equation/fused/fused_text.h"

namespace stencil::equation {

/// Machine code of a text for the GPU at hand. Called on other threads; throws where that fails.
using CubinCompiler = std::function<std::string(const std::string& text)>;

/// "16 steps a pass, 4 warps, 8 columns": of a thread each.
std::string name_of(const FusedShape& shape);

class FusedCompiler {
  public:
    struct Compiled {
        FusedShape shape;
        std::string cubin;
    };

    /// Begins with the shapes of a program that promise most for a field of `nx` columns.
    FusedCompiler(const Program& program, bool float64, int nx, CubinCompiler compile);
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
