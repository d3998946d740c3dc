// Selection of `auto`: the method with the least expected time, from measured speeds. Figures of some
// machines are built in (assets/measured); `bench --save` stores this machine's in the user's folder.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/field/boundary.h"
#include "kernels/methods/method.h"
#include "sim/machine/machine.h"

namespace stencil {

// --- Measured speeds

/// Times in microseconds for a square field of edge x edge cells under the zero boundary.
struct MeasuredSpeed {
    double edge = 0;
    double us_per_step = 0;  ///< in a long call
    double us_alone = 0;     ///< call of one step, for methods that fuse steps
};

/// Figures of one method in one precision.
struct MeasuredMethod {
    std::string name;
    std::size_t cell_bytes = sizeof(float);
    double us_per_call = 0;  ///< overhead per call: launches, waking threads
    double insulated = 1;    ///< time per step under this boundary relative to zero
    double periodic = 1;
    std::vector<MeasuredSpeed> speeds;  ///< at least one, by increasing edge
};

/// Speeds that no method exceeds, in one precision.
struct MeasuredLimits {
    std::size_t cell_bytes = 0;
    double copy_gcells = 0;   ///< of methods that make one step per pass over memory
    double issue_gcells = 0;  ///< of all methods
};

/// Figures of one device.
struct MeasuredMachine {
    std::string name;  ///< as device_name() gives it
    Device device = Device::cpu;
    std::string command, date, driver, commit;  ///< how the figures were made; empty if unknown
    std::vector<MeasuredMethod> methods;
    std::string short_name;                   ///< for labels; empty in figures that `bench --save` made
    std::vector<MeasuredLimits> limits = {};  ///< none in figures that `bench --save` made
};

/// Parses a file with one machine or {"machines": [...]}. Throws InputError that begins with `file`.
std::vector<MeasuredMachine> read_measured(std::string_view text, const std::string& file);
std::string write_measured(const std::vector<MeasuredMachine>& machines);

/// Path of the user's figures, $XDG_CONFIG_HOME/stencilscope/measured.json (~/.config); empty without such a
/// folder.
std::optional<std::filesystem::path> measured_path();

/// Adds figures to the user's file, replacing those of the same device. Returns its path. Throws
/// MachineError.
std::filesystem::path save_measured(const MeasuredMachine& machine);

/// The figures `auto` uses: this machine's own if available, else built-in ones.
struct MeasuredFigures {
    MeasuredMachine machine;
    bool of_this_machine = false;
    std::string trouble;  ///< why the user's file was not used, in one line; empty: no problem
};
MeasuredFigures find_figures(Device device, const Machine& machine);

/// The figures that come with the program, of one machine each, the newest kind of GPU last.
const std::vector<MeasuredMachine>& shipped_figures();

/// The figures for the machine that the program runs on, cached.
const MeasuredFigures& measured_figures(Device device);

// --- Selection

/// The stepping task that `auto` chooses a method for.
struct MethodRequest {
    Device device = Device::cpu;
    FieldShape shape;
    std::size_t cell_bytes = sizeof(float);
    Boundary boundary = Boundary::zero;
    /// Steps per call; the fewer, the more a method's overhead per call weighs.
    long long steps = 10000;
    std::string_view model = kDiffusion;
};

/// Expected seconds of one call, from measured_figures(). Infinite if the method was not measured in this
/// precision, does not fit, is spectral (Method::jumps), or belongs to the other device.
double expected_seconds(const Method& method, const MethodRequest& request);

/// The method with the least expected time among those that `allowed` (if given) accepts; never a
/// spectral one (Method::jumps) or one that does not fit. Without measurements, the last fitting row of typed
/// equations, or the first of diffusion.
const Method& choose_method(const MethodRequest& request,
                            const std::function<bool(const Method&)>& allowed = {});

}  // namespace stencil
