// Fields with metadata in one file, for ParaView and HDF5 readers.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/field/field.h"

namespace stencil {

/// Metadata about a file's run.
struct RunNotes {
    std::vector<std::string> components;
    double dx = 1;            ///< edge of a cell
    double x = 0, y = 0;      ///< the field's left upper corner
    std::string length_unit;  ///< unit of dx; empty if not given
    std::string time_unit;
    std::string spec;  ///< spec.json, which repeats the run
};

struct StepTime {
    long long step = 0;
    std::optional<double> time;  ///< empty if unknown
};

struct NamedField {
    std::string name;
    const Field* field = nullptr;
};

/// Fields of one size at one time.
struct FieldSet {
    RunNotes run;
    StepTime moment;
    std::vector<NamedField> fields;
};

/// A time series of FieldSets: numbered files in one folder with the same names.
struct FieldSeries {
    struct Part {
        std::string file;  ///< name within the folder
        StepTime moment;
    };
    RunNotes run;
    std::vector<std::string> names;
    DType dtype = DType::float32;
    int nx = 0, ny = 0;
    std::vector<Part> parts;
};

/// Fields and numbers of runs along the axes of what varies between them.
struct FieldGrid {
    struct Scale {
        std::string name;
        std::vector<double> values;
        std::vector<std::string> labels = {};  ///< of values that are no numbers
    };
    struct Numbers {
        std::string name;
        std::vector<double> values;  ///< one a run, the last scale fastest
    };
    RunNotes run;
    std::vector<Scale> scales;  ///< the slowest first
    std::vector<Numbers> numbers;
    std::vector<std::string> status;  ///< of each run
    std::vector<std::string> names;   ///< of the fields of a run
    DType dtype = DType::float32;
    int nx = 0, ny = 0;
    std::function<Field(std::size_t run, std::size_t name)> field;
};

/// Writes VTK ImageData (.vti) with cell data from the field's corner on. Atomic; throws MachineError.
void write_vti(const std::filesystem::path& path, const FieldSet& set);
/// Writes a ParaView collection (.pvd) of such files, by time or, where that is unknown, by step.
void write_pvd(const std::filesystem::path& path, const FieldSeries& series);

/// Places of the cells' centres along an axis, from the field's corner on.
std::vector<double> centres(double corner, double dx, int cells);

/// Why HDF5 cannot be used on this machine; empty if it can. Loads the library on first use.
std::string why_no_hdf5();
/// Writes one dataset (ny, nx) per field, with the cells' centres `y` and `x` as dimension scales and the
/// time `t` as a coordinate, as netCDF-4 and CF have them; the metadata are attributes of the file: program,
/// components, dx, length_unit, step, time, time_unit, spec. Atomic; throws MachineError.
void write_hdf5(const std::filesystem::path& path, const FieldSet& set);
/// Writes a file that combines the parts as virtual datasets (moments, ny, nx) over the scales `t` (NaN if
/// unknown), `y` and `x`, with a dataset `step`.
void write_hdf5_series(const std::filesystem::path& path, const FieldSeries& series);
/// Writes one dataset (scales..., ny, nx) per field and one (scales...) per number, over the scales by their
/// names; a '/' in a name becomes " per ".
void write_hdf5_grid(const std::filesystem::path& path, const FieldGrid& grid);

/// As why_no_hdf5(), of libnetcdf.
std::string why_no_netcdf();
/// As write_hdf5(), as classic netCDF.
void write_netcdf(const std::filesystem::path& path, const FieldSet& set);

}  // namespace stencil
