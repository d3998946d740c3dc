// Fields with what they are, in one file, for other programs: ParaView and whatever reads HDF5.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/field/field.h"

namespace stencil {

/// What such files tell of their run.
struct RunNotes {
    std::vector<std::string> components;
    double dx = 1;            ///< the edge of a cell
    std::string length_unit;  ///< of dx; empty: none is given
    std::string time_unit;
    std::string spec;  ///< spec.json, which repeats the run
};

struct StepTime {
    long long step = 0;
    std::optional<double> time;  ///< empty where it is not known
};

struct NamedField {
    std::string name;
    const Field* field = nullptr;
};

/// Fields of one size.
struct FieldSet {
    RunNotes run;
    StepTime moment;
    std::vector<NamedField> fields;
};

/// A FieldSet of each moment, in numbered files of one folder, all with the same names.
struct FieldSeries {
    struct Part {
        std::string file;  ///< its name in the folder
        StepTime moment;
    };
    RunNotes run;
    std::vector<std::string> names;
    DType dtype = DType::float32;
    int nx = 0, ny = 0;
    std::vector<Part> parts;
};

/// VTK's ImageData (.vti): a value for each cell, cell (x, y) being the square that begins at (x dx, y dx);
/// the time is that of ParaView's clock. Atomically; throws MachineError.
void write_vti(const std::filesystem::path& path, const FieldSet& set);
/// ParaView's list (.pvd) of such files with their times, or steps where a time is not known.
void write_pvd(const std::filesystem::path& path, const FieldSeries& series);

/// Why no HDF5 file can be written on this machine (its library is loaded when it is first asked for); empty:
/// it can.
std::string why_no_hdf5();
/// A dataset (ny, nx) for each field, by its name; the rest are attributes of the file: program, components,
/// dx, length_unit, step, time, time_unit, spec. Atomically; throws MachineError.
void write_hdf5(const std::filesystem::path& path, const FieldSet& set);
/// A file beside the parts that shows them as one: virtual datasets (moments, ny, nx) by the fields' names,
/// and `step` and `t` (moments), NaN where a time is not known.
void write_hdf5_series(const std::filesystem::path& path, const FieldSeries& series);

}  // namespace stencil
