// The example workloads: a table, and requests as the words that a person would type.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/examples/option.h"
#include "sim/field/field.h"

namespace stencil {

class ExampleContext;
struct Example;

/// An example with everything that is asked of it.
struct ExampleRequest {
    const Example* example = nullptr;
    OptionValues options;
    std::string out;  ///< folder for files; empty: none are written

    std::string backend() const { return options.text("backend"); }
    bool on_cpu() const { return backend() != "cuda"; }
    bool on_gpu() const { return backend() != "cpu"; }
    std::vector<DType> dtypes() const;   ///< where none is asked for, the example's own
    int repeats() const;                 ///< 0: as many as are sensible
    int threads() const;                 ///< 0: all that there are
    std::uint64_t memory_limit() const;  ///< bytes of GPU memory; kNoMemoryLimit: all that is free
};
inline constexpr std::uint64_t kNoMemoryLimit = std::numeric_limits<std::uint64_t>::max();

/// run(T{}), T the type of the precision: float or double.
template <class Run>
void in_dtype(DType dtype, const Run& run) {
    if (dtype == DType::float32)
        run(float{});
    else
        run(double{});
}

/// The work of a row that is timed on the CPU.
struct ExampleWork {
    double operations = 0;  ///< of multiply-adds, two each
    double bytes = 0;       ///< through memory, if each array is read or written once
    double prepared = 0;    ///< seconds, once: random numbers, and what results are compared with
};

struct Example {
    std::string_view name;
    std::string_view summary;  ///< one line
    std::string_view
        about;  ///< a paragraph for the help: what is compared, and what differs from the tutorial
    std::span<const ExampleOption> options;
    std::span<const DType> dtypes;  ///< that it runs in when none is asked for
    /// Throws InputError for what no machine can do, before anything else happens.
    void (*check)(const ExampleRequest&);
    /// Fills the context's report. Throws InputError, MachineError, CudaError, std::bad_alloc, Cancelled.
    void (*run)(ExampleContext&);
    /// Returns an entry for each row on the CPU, roughly, for estimates of their time; none where that is not
    /// known. For requests that the check accepts. Null: never known.
    std::vector<ExampleWork> (*work)(const ExampleRequest&, DType) = nullptr;
    std::span<const std::string_view> sizes = {};  ///< options whose numbers set how much work it is
};

// The rows of the table, each defined by its own folder.
extern const Example kElementwiseExample;  ///< expressions of each element, fused and pass by pass
extern const Example kAddExample;          ///< c = a + b
extern const Example kDotExample;          ///< the dot product, with its result on the host
extern const Example kReduceExample;       ///< the sum of an array

namespace matmul {
extern const Example kMatmulExample;  ///< C = A B and the sums of its columns
}
namespace einsum {
extern const Example kEinsumExample;  ///< any contraction, by default the column sums of a matrix product
}
namespace ridge {
extern const Example kRidgeExample;  ///< min |A x - d|^2 + c^2 |x|^2, A sparse, for a range of c
}

/// All examples, in the order in which they are listed.
std::span<const Example> examples();

/// Throws InputError for an unknown name.
const Example& find_example(std::string_view name);

/// A request for an example as it comes.
ExampleRequest request_for(const Example& example);

/// "stencilscope example ridge --rows 500 --backend cpu": what repeats the request, quoted for a shell. What
/// is at its default is left out.
std::string command_text(const ExampleRequest& request);

}  // namespace stencil
