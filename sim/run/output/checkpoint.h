// A run on disk, to go on from: DIR/checkpoint with the arrays as .npy and everything else in run.json.
//
// A new one is written beside the last good one and takes its place by renaming, so that there is a whole one
// at every moment: first `checkpoint.new` is filled, then `checkpoint` becomes `checkpoint.last`,
// `checkpoint.new` becomes `checkpoint`, and `checkpoint.last` goes.
#pragma once

#include <filesystem>
#include <map>
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
    std::map<std::string, Measures> measures;  ///< of each formula; however long
    FrameProgress frames;
    Solver* solver = nullptr;  ///< that has the cells, where `run` is an outline
};

/// Into the folder of a run. Throws MachineError; the last good one stays then.
void write_checkpoint(const std::filesystem::path& folder, const RunCheckpoint& checkpoint);

/// The newest one in the folder of a run. Throws InputError where there is none or it is damaged.
RunCheckpoint read_checkpoint(const std::filesystem::path& folder);

/// The checkpoint of an earlier run, where there is one.
void remove_checkpoint(const std::filesystem::path& folder);

/// Settings that were given anew (by name, with their values) for the rest of the run. Method, backend,
/// precision and threads may be others than before, and so may what is written; a method that this machine
/// lacks gives way to `auto`. Another method or precision becomes an edit of the run. Throws InputError where
/// one contradicts what was run so far.
void take_over(RunCheckpoint& checkpoint,
               const std::vector<std::pair<std::string, std::string>>& given,
               const Machine& machine);

}  // namespace stencil
