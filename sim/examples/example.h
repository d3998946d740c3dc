// The example workloads: a table of them, their options, and requests as the words that a person would type.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/field/field.h"

namespace stencil {

/// One option. Its default is that of the tutorial that the example comes from.
struct ExampleOption {
    enum class Kind { integer, real, text, choice, names, file, dtypes, bytes };

    std::string_view name;  ///< without its dashes
    Kind kind = Kind::text;
    std::string_view value = {};  ///< what stands for the value in the help, e.g. "N"
    std::string_view help = {};
    std::string_view standard = {};                  ///< as it would be typed; empty: none
    double least = 0, most = 0;                      ///< of integer and real
    std::string_view replaced_by = {};               ///< if that option is given, this one has no effect
    std::span<const std::string_view> choices = {};  ///< of names: of which `all` are all
    bool repeatable = false;                         ///< may be given several times; all of them count
    std::string_view unset = {};                     ///< what holds without a value, for people
};

/// The names of a list with commas; `all` are all of the choices.
std::vector<std::string> names_in(std::string_view list, std::span<const std::string_view> choices);

/// The options that all examples have: backend, dtype, repeats, threads, memory-limit.
std::span<const ExampleOption> common_options();

using ExampleValue =
    std::variant<std::string, long long, double, std::vector<std::string>, std::vector<DType>, std::uint64_t>;

/// The values of an example's options and of those that all examples have: as given, or their defaults.
class OptionValues {
  public:
    OptionValues() = default;
    explicit OptionValues(std::span<const ExampleOption> options) : options_(options) {}

    /// Adds a value of a repeatable option, replaces that of another. Throws InputError: an unknown name, or
    /// a value that the option does not allow.
    void set(std::string_view name, std::string_view text);

    bool given(std::string_view name) const;
    /// The (last) value, else the default; empty where there is neither.
    std::string text(std::string_view name) const;
    std::vector<std::string> all(std::string_view name) const;
    // The value of an option of this kind, which is given or has a default.
    long long integer(std::string_view name) const { return std::get<long long>(value(name)); }
    double real(std::string_view name) const { return std::get<double>(value(name)); }
    std::vector<std::string> names(std::string_view name) const {
        return std::get<std::vector<std::string>>(value(name));
    }
    std::vector<DType> dtypes(std::string_view name) const {
        return std::get<std::vector<DType>>(value(name));
    }
    std::uint64_t bytes(std::string_view name) const { return std::get<std::uint64_t>(value(name)); }

    /// The example's own.
    std::span<const ExampleOption> options() const { return options_; }
    /// Throws InputError for an unknown name.
    const ExampleOption& find(std::string_view name) const;

  private:
    ExampleValue value(std::string_view name) const;

    std::span<const ExampleOption> options_;
    std::map<std::string, std::vector<std::string>, std::less<>> given_;
};

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
    std::vector<DType> dtypes() const;   ///< as given, else the example's own
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

/// "stencilscope example ridge --rows 500 --backend cpu": the command that repeats the request, quoted for a
/// shell, without options at their defaults.
std::string command_text(const ExampleRequest& request);

}  // namespace stencil
