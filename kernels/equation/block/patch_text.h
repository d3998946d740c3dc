// Kernels that keep arrays in the registers of their threads, as CUDA C: stages over patches of cells.
//
// Each thread keeps a patch of every array. Lanes beside each other hold patches of a row and get each
// other's columns by shuffles; rows above and below come through shared memory, to which each thread writes
// the first and the last row of its patches before a level (a stage that reads neighbours).
#pragma once

#include <string>

#include "kernels/cuda/gpu_facts.h"
#include "kernels/equation/text/fused_program.h"

namespace stencil::equation {

/// A block's patches of `columns` x `rows` cells, one per thread; `lanes` threads, a power of two, share a
/// row of patches.
struct PatchShape {
    int columns = 0, rows = 0;
    int lanes = 0, threads = 0;
    int blocks = 1;        ///< per multiprocessor, that the compiler leaves registers for
    int shared_bytes = 0;  ///< per block

    int width() const { return columns * lanes; }
    int height() const { return threads / lanes * rows; }
};
/// "4 x 8 cells per thread, 512 threads".
std::string name_of(const PatchShape& shape);

/// Computes the registers, the shared memory and the instructions that a program takes with each shape of
/// patches.
class PatchNeeds {
  public:
    /// `others` are a thread's registers besides its patches' cells and those around them: addresses, and
    /// the values of a cell.
    PatchNeeds(const FusedProgram& program, bool float64, const GpuFacts& gpu, int others);

    /// Whether patches of this size may be unrolled, and are loaded by vectors.
    bool may_have(int columns, int rows) const;
    /// Whether rows of so many columns are in the same banks of shared memory.
    bool conflict(int columns) const { return columns * words_ > 6; }
    /// The shape of patches that hold at least `width` x `height` cells; without threads if none does.
    PatchShape shape(int columns, int rows, int width, int height) const;
    /// Estimated instructions of a lane per cell and step.
    double instructions(const PatchShape& shape) const;

  private:
    int registers(int columns, int rows) const;

    double operations_;
    int others_, words_, published_;
    int arrays_, around_;  ///< whole patches held at a time, and windows' cells around them
    GpuFacts gpu_;
};

/// Whether the right and the lower side of a field are sides of patches.
struct WholePatches {
    bool packs = false, bands = false;
};

/// The parts of the text in which block and resident kernels differ. Its expressions may use `a.grid` and the
/// thread's first cell (cx, cy).
struct PatchForm {
    WholePatches whole;
    std::string defines;
    std::string functions;  ///< patch_of(), load() and store()
    std::string begin;      ///< the kernel's head; defines `uniforms`, `last`, `done` and `patch`
    std::string place;      ///< the arguments of functions between the array and the patch
    std::string nx, ny;     ///< the field's size
    std::string x, y;       ///< column and row of cell (k, l) whose inputs are read
    std::string each_step;  ///< before the stages
};
std::string patch_text(const FusedProgram& program,
                       bool float64,
                       const PatchShape& shape,
                       const PatchForm& form);

/// The GPU-specific beginning of the text, which an emulation on the CPU replaces.
extern const char* const kPatchInstructions;

}  // namespace stencil::equation
