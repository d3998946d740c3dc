#include "sim/field/field.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "kernels/view/view.h"

namespace stencil {
namespace {

// Applies a measure to all cells.
template <class Measure>
auto measured(const Field& field, const Measure& measure) {
    ThreadPool alone(1);
    return field.visit([&]<class T>(const Array<T>& array) {
        const FieldView<const T> cells = array.view();
        return measure(CpuView<T>{{cells, {}, {}}, Quantity::value, alone});
    });
}

}  // namespace

std::vector<double> Field::values() const {
    return visit(
        [](const auto& array) { return std::vector<double>(array.cells().begin(), array.cells().end()); });
}

Statistics statistics_of(const Field& field) {
    return partial_statistics(field, 0).statistics();
}

PartialStatistics partial_statistics(const Field& rows, int first_row) {
    return measured(rows, [&](const auto& view) { return sums(view, Summand::value, first_row); });
}

std::vector<double> percentiles_of(const Field& field, std::span<const double> q) {
    return measured(field, [&](const auto& view) { return percentiles(view, q); });
}

std::string_view name_of(DType dtype) {
    return dtype == DType::float32 ? "float32" : "float64";
}

std::optional<DType> find_dtype(std::string_view name) {
    for (const DType dtype : {DType::float32, DType::float64})
        if (name == name_of(dtype)) return dtype;
    return std::nullopt;
}

std::size_t bytes_of(DType dtype) {
    return dtype == DType::float32 ? sizeof(float) : sizeof(double);
}

template <class T>
Array<T> Array<T>::clone() const {
    Array copy(nx_, ny_);
    std::ranges::copy(cells(), copy.data());
    return copy;
}

template class Array<float>;
template class Array<double>;

Field::Field(DType dtype, int nx, int ny) {
    if (dtype == DType::float32)
        array_ = Array<float>(nx, ny);
    else
        array_ = Array<double>(nx, ny);
}

int Field::nx() const {
    return visit([](const auto& array) { return array.nx(); });
}

int Field::ny() const {
    return visit([](const auto& array) { return array.ny(); });
}

Field Field::clone() const {
    return visit([](const auto& array) { return Field(array.clone()); });
}

Field Field::to(DType dtype) const {
    Field result(dtype, nx(), ny());
    visit([&](const auto& source) {
        result.visit([&](auto& target) {
            using T = std::remove_reference_t<decltype(target.at(0, 0))>;
            std::ranges::transform(source.cells(), target.data(), [](auto value) { return T(value); });
        });
    });
    return result;
}

State State::clone() const {
    State copy;
    for (const Field& field : components) copy.components.push_back(field.clone());
    copy.step = step;
    return copy;
}

State State::to(DType dtype) const {
    State copy;
    for (const Field& field : components) copy.components.push_back(field.to(dtype));
    copy.step = step;
    return copy;
}

double relative_distance(const State& state, const State& truth) {
    double difference = 0, size = 0;
    for (std::size_t c = 0; c < truth.components.size(); ++c) {
        const Field own = state.components[c].to(DType::float64),
                    right = truth.components[c].to(DType::float64);
        const auto a = own.as<double>().cells(), b = right.as<double>().cells();
        for (std::size_t i = 0; i < b.size(); ++i) {
            difference += (a[i] - b[i]) * (a[i] - b[i]);
            size += b[i] * b[i];
        }
    }
    return std::sqrt(difference / size);
}

}  // namespace stencil
