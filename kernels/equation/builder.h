// Builds instruction lists, with common-subexpression elimination.
#pragma once

#include <map>
#include <tuple>

#include "kernels/equation/program.h"

namespace stencil::equation {

class Builder {
  public:
    /// `hardware`: elementary functions may be those of the GPU's hardware (Program::fast, float32).
    explicit Builder(bool hardware = false) : hardware_(hardware) {}

    bool hardware() const { return hardware_; }
    int constant(double number);
    int input(Code code, int index = 0, int dx = 0, int dy = 0);
    int make(Code code, int a, int b = -1, int c = -1, int d = -1);

    int add(int a, int b) { return make(Code::add, a, b); }
    int subtract(int a, int b) { return make(Code::subtract, a, b); }
    int multiply(int a, int b) { return make(Code::multiply, a, b); }
    /// A product that finish() does not contract, so that neighbouring cells can share it.
    int uncontracted_product(int a, int b);
    int fma(int a, int b, int c) { return make(Code::fma, a, b, c); }
    int select(int condition, int then, int otherwise) {
        return make(Code::select, condition, then, otherwise);
    }
    /// Horner's scheme: c[0] + x (c[1] + x (c[2] ...)).
    int polynomial(int x, const std::vector<double>& c);

    const Operations& operations() const { return operations_; }

  private:
    using Key = std::tuple<Code, int, int, int, std::uint64_t, std::array<int, 4>>;
    int insert(const Operation& operation);

    bool hardware_;
    Operations operations_;
    std::map<Key, int> values_by_operation_;
};

/// Keeps the operations that `values` need, arguments first, and renumbers `values`.
Operations without_dead_code(const Operations& operations, std::vector<int>& values);
/// Contracts a product used by a single sum into it (fma, fnma, fms), and eliminates dead code.
Operations finish(const Operations& operations, std::vector<int>& values);

}  // namespace stencil::equation
