// Checkpoints of a run: DIR/checkpoint with arrays as .npy and everything else in run.json. There is a
// complete one at every moment: `checkpoint.new` is written, `checkpoint` is renamed to `checkpoint.last`,
// `checkpoint.new` to `checkpoint`, and `checkpoint.last` is removed.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/run/output/frame_writer.h"
#include "sim/run/output/measures.h"
#include "sim/run/simulation.h"

namespace stencil {

struct RunCheckpoint {
    RunState run;
    std::map<std::string, Measures> measures;  ///< time series of each formula
    FrameProgress frames;
    Solver* solver = nullptr;  ///< holds the cells if `run` has none
};

/// The files of the initial state in a run's newest checkpoint. The next checkpoint links to them, since the
/// initial state seldom changes.
struct WrittenStart {
    std::shared_ptr<const RowSource> rows;
    std::map<std::string, std::string> hashes = {};  ///< by array
};

/// Writes into the folder of a run. `written` is that of the last call for this folder. Throws MachineError
/// and then keeps the previous checkpoint.
void write_checkpoint(const std::filesystem::path& folder,
                      const RunCheckpoint& checkpoint,
                      WrittenStart* written = nullptr);

/// Reads the newest checkpoint of a run's folder. Throws InputError if there is none or it is damaged.
RunCheckpoint read_checkpoint(const std::filesystem::path& folder);

/// Removes an earlier run's checkpoint, if any.
void remove_checkpoint(const std::filesystem::path& folder);

/// Applies settings given with --resume to the rest of the run. What differs from the settings at the run's
/// start becomes an event of the present step, as far as --at takes the setting; a method that this machine
/// lacks becomes `auto`. Throws InputError if a setting contradicts the steps made so far.
using SettingsByName = std::vector<std::pair<std::string, std::string>>;
void take_over(RunCheckpoint& checkpoint, const SettingsByName& given, const Machine& machine);

}  // namespace stencil
