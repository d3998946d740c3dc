// The interface of what couples all cells of a field between two stages: solves and convolutions.
#pragma once

#include <vector>

#include "kernels/field/field_view.h"

namespace stencil::equation {

template <class T>
class FieldOperator {
  public:
    FieldOperator() = default;
    virtual ~FieldOperator() = default;
    FieldOperator(const FieldOperator&) = delete;
    FieldOperator& operator=(const FieldOperator&) = delete;

    /// Takes InputValues::linear() of the operator's part; takes effect at the next apply().
    virtual void set(const std::vector<double>& values, double dt) = 0;

    /// `from` and `to` are views of all fields of a Solve in order, without aliasing.
    virtual void apply(const std::vector<FieldView<T>>& from, const std::vector<FieldView<T>>& to) = 0;
};

}  // namespace stencil::equation
