// Everything that is needed to repeat a run.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/field/diffusion_params.h"
#include "kernels/methods/method.h"
#include "sim/field/field.h"
#include "sim/run/edit.h"
#include "sim/run/measures.h"
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
    double coefficient = 0.2;
    Boundary boundary = Boundary::zero;
    std::string initial = "jagged";
    std::uint64_t seed = 3966789;
    DType dtype = DType::float32;
    std::string method = "auto";
    std::string backend = "auto";
    int threads = 0;  ///< 0: all that there are
    bool allow_unstable = false;
    std::vector<Edit> edits;  ///< changes in mid-run, by their step
    std::uint64_t memory_limit =
        std::numeric_limits<std::uint64_t>::max();  ///< bytes, of host and GPU memory each

    struct Cell {
        int x = 0, y = 0;
        friend bool operator==(const Cell&, const Cell&) = default;
    };
    std::vector<Cell> probes;
    std::optional<ProfileLine> profile;

    long long every = 0;  ///< 0: no frames
    std::vector<std::string> exports;
    std::string colormap;            ///< empty: viridis
    std::string laplacian_colormap;  ///< empty: the colormap where one is given, else inferno
    RangeRule range;
    RangeRule laplacian_range{RangeRule::Kind::percentile, 5, 95};
    bool range_per_frame = false;  ///< each frame its own range, rather than the first one's for all

    RunSpec();

    DiffusionParams params() const { return {coefficient, boundary}; }

    /// Throws InputError where settings contradict each other.
    void validate() const;
};

/// The row of the spec's method on its backend; the first of that name where the backend is `auto`, null
/// where the method is.
const Method* method_of(const RunSpec& spec);

/// A method of this name is there on either device.
bool runs_on_both(std::string_view method);

/// One setting: its name on the command line (--name) and in spec.json.
struct Setting {
    std::string_view name;
    std::string_view value;  ///< what stands for the value in the help; empty for a switch
    std::string_view help;
    void (*set)(RunSpec&, std::string_view text);  ///< throws InputError
    nlohmann::json (*get)(const RunSpec&);         ///< null: unset, left out of spec.json
    bool repeatable = false;                       ///< may be given several times, and adds up
};

/// All settings of a run. A new one is a member of RunSpec and a row here.
std::span<const Setting> settings();

/// Throws InputError for an unknown name.
const Setting& find_setting(std::string_view name);

/// The same with one setting changed, and what depends on it: a backend brings its own method
/// where the present one does not run on it, and a method its backend. Throws
/// InputError.
RunSpec changed(RunSpec spec, std::string_view setting, std::string_view value);

/// spec.json and back. Reading throws InputError, naming what is wrong; `file` stands in the message.
nlohmann::ordered_json to_json(const RunSpec& spec);

RunSpec spec_from_json(const std::string& text, const std::string& file);
/// From a file. Throws InputError where it cannot be read.
RunSpec read_spec(const std::string& file);

/// The total of the field stays what it is at the start: every boundary in force conserves it, and nothing
/// was painted or resized.
bool conserves_total(const RunSpec& spec);

}  // namespace stencil
