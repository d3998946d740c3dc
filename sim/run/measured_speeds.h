// How fast methods were measured to be: what `auto` goes by. Figures of a few machines are built in
// (assets/measured); `bench --save` keeps those of this one in the user's folder.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/machine.h"

namespace stencil {

/// On a square field of edge x edge cells under the zero boundary, in microseconds.
struct MeasuredSpeed {
    double edge = 0;
    double us_per_step = 0;  ///< in a long call
    double us_alone = 0;     ///< a call of one step, of a method that fuses steps
};

/// One method in one precision.
struct MeasuredMethod {
    std::string name;
    std::size_t cell_bytes = sizeof(float);
    double us_per_call = 0;  ///< what a call takes besides its steps: launching, waking threads
    double insulated = 1;    ///< a step's time under this boundary, as a multiple of that under zero
    double periodic = 1;
    std::vector<MeasuredSpeed> speeds;  ///< by rising edge, at least one
};

/// One device of one machine.
struct MeasuredMachine {
    std::string name;  ///< as device_name() gives it
    Device device = Device::cpu;
    std::string command, date, driver, commit;  ///< how the figures were made; empty where that is not known
    std::vector<MeasuredMethod> methods;
};

/// The text of such a file, which holds one machine or, as {"machines": [...]}, several. Throws InputError,
/// beginning with `file`, where it is anything else.
std::vector<MeasuredMachine> read_measured(std::string_view text, const std::string& file);
std::string write_measured(const std::vector<MeasuredMachine>& machines);

/// The user's own figures: $XDG_CONFIG_HOME/stencilscope/measured.json (~/.config); none where there is no
/// such folder.
std::optional<std::filesystem::path> measured_path();

/// Adds figures to the user's file, in place of older ones of the same device. Returns its path. Throws
/// MachineError.
std::filesystem::path save_measured(const MeasuredMachine& machine);

/// What `auto` goes by: this machine's own figures where there are any, else those that are built in.
struct MeasuredFigures {
    MeasuredMachine machine;
    bool of_this_machine = false;
    std::string trouble;  ///< why the user's file was not used, in one line; empty: it was, or there is none
};
MeasuredFigures find_figures(Device device, const Machine& machine);

/// The same for the machine that the program runs on, found once.
const MeasuredFigures& measured_figures(Device device);

}  // namespace stencil
