#include "app/python/arrays.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "sim/problem/run_spec.h"
#include "sim/text/error.h"

namespace stencil::python {
namespace {

using AnyArray = nb::ndarray<nb::ro>;

std::string shape_text(const AnyArray& array) {
    std::string text = "(";
    for (std::size_t i = 0; i < array.ndim(); ++i)
        text += fmt::format("{}{}", i > 0 ? ", " : "", array.shape(i));
    return text + (array.ndim() == 1 ? ",)" : ")");
}

// Python brings other types to these where nothing is lost (stencilscope/_arrays.py).
[[noreturn]] void refuse(const nb::object& object, const std::string& name) {
    throw nb::type_error(
        fmt::format("{}: {} is not an array of float32 or float64", name, nb::inst_name(object).c_str())
            .c_str());
}

void check_shape(const AnyArray& array, const std::string& name) {
    if (array.ndim() != 2)
        throw InputError(
            "{}: an array of shape {}: a field has two axes, (rows, columns)", name, shape_text(array));
    for (const std::size_t cells : {array.shape(0), array.shape(1)})
        if (cells < 1 || cells > std::size_t(kMaxCells))
            throw InputError("{}: an array of shape {}: each axis has from 1 to {} cells",
                             name,
                             shape_text(array),
                             kMaxCells);
}

// Makes the stream wait for the producer's pending work on the array (DLPack protocol). Keep the result alive
// as long as the array is used.
nb::object taken_by(CudaStream& stream, const nb::object& object) {
    if (!nb::hasattr(object, "__dlpack__")) return nb::none();
    return object.attr("__dlpack__")(nb::arg("stream") = reinterpret_cast<std::uintptr_t>(stream.handle()));
}

// Copies a row-major or column-major array from the GPU; a column-major one is copied as its transpose.
template <class T>
Array<T> from_gpu(const AnyArray& array, const nb::object& object, const std::string& name) {
    const int ny = int(array.shape(0)), nx = int(array.shape(1));
    const bool rows = array.stride(1) == 1 && array.stride(0) >= nx;
    const bool columns = array.stride(0) == 1 && array.stride(1) >= ny;
    if (!rows && !columns && nx * 1LL * ny > 1)
        throw InputError(
            "{}: an array on the GPU with gaps between its cells: "
            "cupy.ascontiguousarray() makes one without",
            name);
    Array<T> cells(rows ? nx : ny, rows ? ny : nx);
    const std::size_t width = std::size_t(cells.nx()) * sizeof(T);
    const std::size_t pitch = std::size_t(rows ? array.stride(0) : array.stride(1)) * sizeof(T);
    CudaStream stream(array.device_id());
    const nb::object taken = taken_by(stream, object);
    copy_to_host({cells.data(), width, array.data(), pitch, width, std::size_t(cells.ny())}, stream);
    if (rows) return cells;
    Array<T> result(nx, ny);
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x) result.at(x, y) = cells.at(y, x);
    return result;
}

template <class T>
Array<T> from_host(const AnyArray& array) {
    Array<T> result(int(array.shape(1)), int(array.shape(0)));
    const T* const cells = static_cast<const T*>(array.data());
    for (int y = 0; y < result.ny(); ++y)
        for (int x = 0; x < result.nx(); ++x)
            result.at(x, y) = cells[y * array.stride(0) + x * array.stride(1)];
    return result;
}

template <class T>
Array<T> copy_of(const AnyArray& array, const nb::object& object, const std::string& name) {
    switch (array.device_type()) {
        case nb::device::cpu::value:
        case nb::device::cuda_host::value:
            return from_host<T>(array);
        case nb::device::cuda::value:
        case nb::device::cuda_managed::value:
            if constexpr (STENCILSCOPE_HAS_CUDA) return from_gpu<T>(array, object, name);
            throw InputError(name +
                             ": an array on the GPU, and this build has no CUDA: bring it to the host first");
        default:
            throw InputError(name + ": an array on a device that is neither the CPU nor an NVIDIA GPU");
    }
}

template <class T>
void check_finite(const Array<T>& cells, const std::string& name) {
    std::size_t wrong = 0, first = 0;
    for (std::size_t i = cells.size(); i-- > 0;) {
        if (std::isfinite(cells.data()[i])) continue;
        ++wrong;
        first = i;
    }
    if (wrong > 0)
        throw InputError("{}: {} of {} cells are NaN or infinite, the first at row {}, column {}",
                         name,
                         wrong,
                         cells.size(),
                         first / std::size_t(cells.nx()),
                         first % std::size_t(cells.nx()));
}

template <class T>
Field checked_copy(const AnyArray& array, const nb::object& object, const std::string& name) {
    Array<T> cells = copy_of<T>(array, object, name);
    check_finite(cells, name);
    return cells;
}

// An array on the GPU by the interface of Numba and others (__cuda_array_interface__, version 2 or 3).
AnyArray cuda_array_of(const nb::object& object) {
    const auto all = nb::cast<nb::dict>(object.attr("__cuda_array_interface__"));
    const auto type = nb::cast<std::string>(all["typestr"]);
    const nb::tuple shape = nb::cast<nb::tuple>(all["shape"]);
    std::vector<std::size_t> sizes;
    for (const nb::handle axis : shape) sizes.push_back(nb::cast<std::size_t>(axis));
    std::vector<std::int64_t> strides(sizes.size());
    const std::int64_t cell = type == "<f4" ? 4 : 8;
    std::int64_t dense = 1;
    for (std::size_t i = sizes.size(); i-- > 0; dense *= std::int64_t(sizes[i])) strides[i] = dense;
    if (all.contains("strides") && !all["strides"].is_none()) {
        const nb::tuple given = nb::cast<nb::tuple>(all["strides"]);
        for (std::size_t i = 0; i < strides.size(); ++i) strides[i] = nb::cast<std::int64_t>(given[i]) / cell;
    }
    void* const data = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(nb::cast<nb::tuple>(all["data"])[0]));
    return AnyArray(data,
                    sizes.size(),
                    sizes.data(),
                    object,
                    strides.data(),
                    type == "<f4" ? nb::dtype<float>() : nb::dtype<double>(),
                    nb::device::cuda::value);
}

template <class T>
nb::object hand_over(Array<T> cells) {
    auto* const kept = new Array<T>(std::move(cells));
    const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Array<T>*>(p); });
    const std::size_t shape[] = {std::size_t(kept->ny()), std::size_t(kept->nx())};
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<2>>(kept->data(), 2, shape, owner));
}

}  // namespace

Field field_of(const nb::object& object, const std::string& name) {
    if (!nb::hasattr(object, "__dlpack__") && nb::hasattr(object, "__cuda_array_interface__")) {
        const AnyArray array = cuda_array_of(object);
        check_shape(array, name);
        return array.dtype() == nb::dtype<float>() ? checked_copy<float>(array, object, name)
                                                   : checked_copy<double>(array, object, name);
    }
    AnyArray array;
    // A producer is asked here, since a cast would hide its exceptions.
    const bool produces = PyObject_CheckBuffer(object.ptr()) == 0 && nb::hasattr(object, "__dlpack__");
    const nb::object source = produces ? nb::object(object.attr("__dlpack__")()) : object;
    if (!nb::try_cast(source, array) ||
        (array.dtype() != nb::dtype<float>() && array.dtype() != nb::dtype<double>()))
        refuse(object, name);
    check_shape(array, name);
    return array.dtype() == nb::dtype<float>() ? checked_copy<float>(array, object, name)
                                               : checked_copy<double>(array, object, name);
}

nb::object to_dlpack(CudaMemory memory, DType dtype, int nx, int ny) {
    auto* const kept = new CudaMemory(std::move(memory));
    const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<CudaMemory*>(p); });
    const std::size_t shape[] = {std::size_t(ny), std::size_t(nx)};
    const auto type = dtype == DType::float32 ? nb::dtype<float>() : nb::dtype<double>();
    return nb::cast(nb::ndarray<nb::array_api>(
        kept->data(), 2, shape, owner, nullptr, type, nb::device::cuda::value, kept->device()));
}

nb::object to_numpy(Field field) {
    return field.visit([](auto& cells) { return hand_over(std::move(cells)); });
}

}  // namespace stencil::python
