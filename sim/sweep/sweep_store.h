// What a sweep keeps on disk, run by run, so that a killed one loses no more than the runs under way.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/field/field.h"
#include "sim/files/descriptor.h"
#include "sim/sweep/sweep.h"

namespace stencil {

/// The fields of a run: the components, and the shown formula if it is another one.
std::vector<Field> planes_of(Simulation& simulation);

/// runs.jsonl has a line for each run that has ended, and fields.npy their planes, of each run those of
/// planes_of().
class SweepStore {
  public:
    /// In an existing folder. `with_fields`: what is to be written needs the fields. Throws FileError.
    SweepStore(const std::filesystem::path& folder, const Sweep& sweep, bool with_fields);

    /// Gives the sweep the runs that an earlier one has kept here; returns their number.
    std::size_t give_to(Sweep& sweep);
    bool keeps_fields() const { return bool(file_); }
    /// Keeps the fields of a run that has ended. Several threads may do so for several runs.
    void add_fields(std::size_t index, Simulation& simulation);
    void add_fields(std::size_t index, std::span<const Field> planes);
    /// Keeps the lines of runs, whose fields are there.
    void add(const Sweep& sweep, std::span<const std::size_t> runs);
    /// Marks the fields of runs that have none by NaN. Without `keeps_fields` fields.npy goes, unless an
    /// earlier sweep left it here.
    void finish(bool keeps_fields);

    const std::vector<std::string>& planes() const { return planes_; }
    /// A plane of a run; NaN if there is none.
    Field field(std::size_t run, std::size_t plane) const;
    /// A plane to be filled.
    Field empty_plane() const { return {dtype_, nx_, ny_}; }

  private:
    void write(std::size_t run, std::size_t plane, const Field& field);
    std::size_t plane_bytes() const;
    std::uint64_t offset_of(std::size_t run, std::size_t plane) const;

    std::filesystem::path lines_, array_;
    std::vector<std::string> planes_;
    std::size_t runs_;
    int nx_, ny_;
    DType dtype_;
    std::string header_;
    Descriptor file_;              ///< none: no fields are kept
    bool known_ = false;           ///< the array was there before
    std::vector<char> has_field_;  ///< of each run
};

}  // namespace stencil
