// Everything that is needed to repeat a run.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/field/diffusion_params.h"
#include "kernels/methods/method.h"
#include "sim/field/field.h"
#include "sim/model/model.h"
#include "sim/run/edit.h"
#include "sim/run/output/measures.h"
#include "sim/view/value_range.h"

namespace stencil {

/// The largest width and height: what int indices and their neighbours can count.
inline constexpr int kMaxCells = 1 << 30;
inline constexpr long long kMaxSteps = 1'000'000'000'000;

struct Size {
    int nx = 2000;
    int ny = 2000;
    friend bool operator==(const Size&, const Size&) = default;
};

struct RunSpec {
    std::optional<Size> size;  ///< unset: the file's own, or 2000x2000
    long long steps = 10000;
    std::shared_ptr<const Model> model;  ///< never null
    std::vector<double> parameters;      ///< of the model, in the order of its table
    Boundary boundary = Boundary::zero;
    std::string initial = "jagged";
    std::string initial_hash;  ///< field_hash() of what the initial file held; empty: of any
    std::uint64_t seed = 3966789;
    DType dtype = DType::float32;
    std::string method = "auto";
    std::string backend = "auto";
    int threads = 0;  ///< 0: all that there are
    bool allow_unstable = false;
    EditList edits;  ///< changes in mid-run
    std::uint64_t memory_limit =
        std::numeric_limits<std::uint64_t>::max();  ///< bytes, of host and GPU memory each

    struct Cell {
        int x = 0, y = 0;
        friend bool operator==(const Cell&, const Cell&) = default;
    };
    std::vector<Cell> probes;
    std::optional<ProfileLine> profile;

    long long every = 0;       ///< 0: no frames
    long long checkpoint = 0;  ///< every N steps; 0: none
    std::vector<std::string> exports;
    std::string colormap;            ///< empty: viridis
    std::string laplacian_colormap;  ///< empty: the colormap where one is given, else inferno
    RangeRule range;
    RangeRule laplacian_range{RangeRule::Kind::percentile, 5, 95};
    bool range_per_frame = false;  ///< each frame its own range, rather than the first one's for all

    RunSpec();

    /// Another model, with its parameters and boundary as they are by default.
    void use_model(std::shared_ptr<const Model> another);

    /// A parameter of the model by its name; throws InputError where the model has none of that name.
    double parameter(std::string_view name) const;
    /// Throws InputError too where the value is not allowed.
    void set_parameter(std::string_view name, double value);

    /// The parameter that stability bounds, and its largest stable value now; empty: any is stable.
    struct Bound {
        const ModelParameter* parameter = nullptr;
        double value = 0, largest = 0;
        bool exceeded() const { return value > largest; }
    };
    std::optional<Bound> stability() const;

    /// What the diffusion methods step with.
    DiffusionParams params() const { return {parameter("coefficient"), boundary}; }

    /// Throws InputError where settings contradict each other, now or after an edit.
    void validate() const;
};

/// The row of the spec's method on its backend; the first of that name where the backend is `auto`, null
/// where the method is.
const Method* method_of(const RunSpec& spec);

/// "coefficient 0.2": all of the model's parameters, for people.
std::string parameter_text(const RunSpec& spec);

/// A method of this name is there on either device.
bool runs_on_both(std::string_view method);

/// The same with one setting changed, and what depends on it: a backend brings its own method
/// where the present one does not run on it, and a method its backend. Throws
/// InputError.
RunSpec changed(RunSpec spec, std::string_view setting, std::string_view value);

/// spec.json and back. Reading throws InputError, naming what is wrong; `file` stands in the message.
nlohmann::ordered_json to_json(const RunSpec& spec);

RunSpec spec_from_json(const std::string& text, const std::string& file);
/// From a file. Throws InputError where it cannot be read.
RunSpec read_spec(const std::string& file);

}  // namespace stencil
