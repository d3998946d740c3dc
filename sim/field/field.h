// Host fields: owning arrays of (ny, nx) cells, row-major, float32 or float64.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/field/field_view.h"
#include "kernels/view/statistics/statistics.h"

namespace stencil {

enum class DType { float32, float64 };

template <class T>
inline constexpr DType dtype_of = sizeof(T) == sizeof(float) ? DType::float32 : DType::float64;

std::string_view name_of(DType dtype);
/// Empty if no type has that name.
std::optional<DType> find_dtype(std::string_view name);
std::size_t bytes_of(DType dtype);

/// An owning host array of (ny, nx) cells without padding. Cells are uninitialised, so that large fields are
/// written only once. Copying is explicit, by clone().
template <class T>
class Array {
  public:
    Array() = default;
    Array(int nx, int ny) : cells_(new T[std::size_t(nx) * std::size_t(ny)]), nx_(nx), ny_(ny) {}

    int nx() const { return nx_; }
    int ny() const { return ny_; }
    std::size_t size() const { return std::size_t(nx_) * std::size_t(ny_); }
    T* data() { return cells_.get(); }
    const T* data() const { return cells_.get(); }
    std::span<T> cells() { return {cells_.get(), size()}; }
    std::span<const T> cells() const { return {cells_.get(), size()}; }
    T& at(int x, int y) { return cells_[std::size_t(y) * nx_ + x]; }
    const T& at(int x, int y) const { return cells_[std::size_t(y) * nx_ + x]; }
    FieldView<T> view() { return {cells_.get(), nx_, ny_, nx_}; }
    FieldView<const T> view() const { return {cells_.get(), nx_, ny_, nx_}; }
    Array clone() const;

  private:
    std::unique_ptr<T[]> cells_;
    int nx_ = 0;
    int ny_ = 0;
};

/// A field of either precision.
class Field {
  public:
    Field() = default;
    template <class T>
    Field(Array<T> array) : array_(std::move(array)) {}
    Field(DType dtype, int nx, int ny);

    DType dtype() const { return array_.index() == 0 ? DType::float32 : DType::float64; }
    int nx() const;
    int ny() const;
    std::size_t size() const { return std::size_t(nx()) * std::size_t(ny()); }
    /// All cells, in float64.
    std::vector<double> values() const;

    /// The typed array. Throws std::bad_variant_access for the other precision.
    template <class T>
    Array<T>& as() {
        return std::get<Array<T>>(array_);
    }
    template <class T>
    const Array<T>& as() const {
        return std::get<Array<T>>(array_);
    }

    template <class F>
    decltype(auto) visit(F&& f) {
        return std::visit(std::forward<F>(f), array_);
    }
    template <class F>
    decltype(auto) visit(F&& f) const {
        return std::visit(std::forward<F>(f), array_);
    }

    Field clone() const;
    /// The field in another precision, each cell rounded once.
    Field to(DType dtype) const;

  private:
    std::variant<Array<float>, Array<double>> array_;
};

/// Statistics over all cells.
Statistics statistics_of(const Field& field);
/// Statistics of some rows of a field; the first one is row `first_row` of the field.
PartialStatistics partial_statistics(const Field& rows, int first_row);

/// Exact percentiles (NumPy's "linear") of the finite cells for each q in [0, 100]; empty if no cell is
/// finite.
std::vector<double> percentiles_of(const Field& field, std::span<const double> q);

/// One field per component, all of one shape and precision, after `step` steps. Copying is explicit, by
/// clone().
struct State {
    State() = default;
    /// One component at step 0.
    State(Field field) { components.push_back(std::move(field)); }
    State(std::vector<Field> fields, long long at_step) : components(std::move(fields)), step(at_step) {}

    std::vector<Field> components;
    long long step = 0;

    State clone() const;
    State to(DType dtype) const;
};

/// Relative 2-norm of the difference of two states of one shape, over all components.
double relative_distance(const State& state, const State& truth);

}  // namespace stencil
