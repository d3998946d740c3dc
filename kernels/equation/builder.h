// Lists of operations: each is made once, and products run into the sums that they are part of.
#pragma once

#include <map>
#include <tuple>

#include "kernels/equation/program.h"

namespace stencil::equation {

class Builder {
  public:
    int constant(double number);
    int input(Code code, int index = 0, int dx = 0, int dy = 0);
    int make(Code code, int a, int b = -1, int c = -1, int d = -1);

    int add(int a, int b) { return make(Code::add, a, b); }
    int subtract(int a, int b) { return make(Code::subtract, a, b); }
    int multiply(int a, int b) { return make(Code::multiply, a, b); }
    /// One that no sum takes in (finish): where neighbouring cells share it, it is worked out once.
    int whole_product(int a, int b);
    int fma(int a, int b, int c) { return make(Code::fma, a, b, c); }
    int select(int condition, int then, int otherwise) {
        return make(Code::select, condition, then, otherwise);
    }
    /// c[0] + x (c[1] + x (c[2] ...)).
    int polynomial(int x, const std::vector<double>& c);

    const Operations& operations() const { return operations_; }

  private:
    using Key = std::tuple<Code, int, int, int, std::uint64_t, std::array<int, 4>>;
    int insert(const Operation& operation);

    Operations operations_;
    std::map<Key, int> places_;
};

/// The operations that `values` need, in an order in which each comes after its arguments; `values` are
/// renumbered. A product that is used by one sum alone becomes part of it (fma, fnma, fms).
Operations finish(const Operations& operations, std::vector<int>& values);

}  // namespace stencil::equation
