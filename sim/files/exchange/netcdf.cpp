// Classic netCDF files (CDF-1, CDF-2 and CDF-5) by libnetcdf, with CF's coordinates; netCDF-4 is HDF5.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <mutex>

#include "kernels/cpu/late_library.h"
#include "sim/files/atomic_file.h"
#include "sim/files/exchange/field_set.h"
#include "sim/files/field_file.h"

// Declarations from the headers of versions 4.6 to 4.9, so that building does not need them.
extern "C" {
int nc_open(const char* path, int mode, int* file);
int nc_create(const char* path, int mode, int* file);
int nc_close(int file);
int nc_inq_nvars(int file, int* count);
int nc_inq_var(int file, int variable, char* name, int* type, int* axes, int* dimensions, int* attributes);
int nc_inq_type(int file, int type, char* name, std::size_t* bytes);
int nc_inq_dimlen(int file, int dimension, std::size_t* length);
int nc_inq_att(int file, int variable, const char* name, int* type, std::size_t* length);
int nc_get_att_double(int file, int variable, const char* name, double* value);
int nc_get_var_float(int file, int variable, float* values);
int nc_get_var_double(int file, int variable, double* values);
int nc_def_dim(int file, const char* name, std::size_t length, int* dimension);
int nc_def_var(int file, const char* name, int type, int axes, const int* dimensions, int* variable);
int nc_put_att_text(int file, int variable, const char* name, std::size_t length, const char* text);
int nc_put_att_double(
    int file, int variable, const char* name, int type, std::size_t length, const double* values);
int nc_set_fill(int file, int mode, int* before);
int nc_enddef(int file);
int nc_put_var_float(int file, int variable, const float* values);
int nc_put_var_double(int file, int variable, const double* values);
const char* nc_strerror(int error);
}

namespace stencil {
namespace netcdf {
namespace {

constexpr int kChar = 2, kFloat = 5, kDouble = 6, kMostName = 256, kMostAxes = 1024, kGlobal = -1;

const LazyLibrary& library() {
    static const LazyLibrary opened = [] {
        why_no_hdf5();  // libnetcdf opens HDF5 for itself, and then it takes no more settings
        const char* found = "libnetcdf.so.19";
        for (const char* name : {"libnetcdf.so.19", "libnetcdf.so.22", "libnetcdf.so.18"})
            if (load_library({name})) found = name;
        return LazyLibrary(found, "netCDF");
    }();
    return opened;
}
#define NETCDF(name) LATE_FUNCTION(netcdf::library(), name)

void done(int error) {
    if (error != 0) throw std::runtime_error(NETCDF(nc_strerror)(error));
}

std::mutex& one_at_a_time() {  // the library is not thread-safe
    static std::mutex mutex;
    return mutex;
}

struct OpenFile {
    OpenFile(const InputFile& input, const std::string& path) : lock(one_at_a_time()) {
        if (const int error = NETCDF(nc_open)(path.c_str(), 0, &id))
            input.refuse(fmt::format("damaged, or not a netCDF file: {}", NETCDF(nc_strerror)(error)));
    }
    ~OpenFile() { NETCDF(nc_close)(id); }

    std::lock_guard<std::mutex> lock;
    int id = 0;
};

double number_of(int file, int variable, const char* name, double otherwise) {
    int type = 0;
    std::size_t length = 0;
    double value = otherwise;
    if (NETCDF(nc_inq_att)(file, variable, name, &type, &length) == 0 && type != kChar && length == 1)
        NETCDF(nc_get_att_double)(file, variable, name, &value);
    return value;
}

struct Plane {
    std::string name;
    int variable = 0;
    std::size_t nx = 0, ny = 0;
    bool wide = true;  ///< float64
};

struct Contents {
    std::vector<Plane> planes;  ///< of numbers, with two axes that are longer than 1, or are last
    double bytes = 0;           ///< of all variables
};
Contents contents_of(int file) {
    int count = 0;
    done(NETCDF(nc_inq_nvars)(file, &count));
    Contents contents;
    for (int v = 0; v < count; ++v) {
        char name[kMostName + 1] = "";
        int type = 0, axes = 0, attributes = 0, dimensions[kMostAxes] = {};
        done(NETCDF(nc_inq_var)(file, v, name, &type, &axes, dimensions, &attributes));
        std::size_t nx = 1, ny = 1, value = 0;
        double further = 1;
        done(NETCDF(nc_inq_type)(file, type, nullptr, &value));
        for (int i = 0; i < axes; ++i) {
            further *= double(ny);
            ny = nx;
            done(NETCDF(nc_inq_dimlen)(file, dimensions[i], &nx));
        }
        contents.bytes += further * double(nx) * double(ny) * double(value);
        if (type != kChar && axes >= 2 && further == 1)
            contents.planes.push_back({name, v, nx, ny, type != kFloat});
    }
    return contents;
}

FoundField open_classic(const InputFile& input, const FieldPlace& place) {
    if (!library().why_none().empty()) input.refuse(why_no_netcdf());
    try {
        const OpenFile file(input, place.file);
        const auto [planes, bytes] = contents_of(file.id);
        std::vector<std::string> names;
        for (const Plane& plane : planes) names.push_back(plane.name);
        const Plane chosen = planes[chosen_variable(input, place, names)];
        require_field_size(input, chosen.nx, chosen.ny);
        // The library would read zeros beyond the end.
        if (bytes > double(input.size())) input.refuse("cut off");
        return {int(chosen.nx), int(chosen.ny), [path = place.file, chosen] {
                    const InputFile again(path);
                    const OpenFile opened(again, path);
                    Field field(
                        chosen.wide ? DType::float64 : DType::float32, int(chosen.nx), int(chosen.ny));
                    const int error =
                        chosen.wide
                            ? NETCDF(nc_get_var_double)(opened.id, chosen.variable, field.as<double>().data())
                            : NETCDF(nc_get_var_float)(opened.id, chosen.variable, field.as<float>().data());
                    if (error != 0) again.refuse(NETCDF(nc_strerror)(error));
                    unpack(field, [&](const char* name, double otherwise) {
                        return number_of(opened.id, chosen.variable, name, otherwise);
                    });
                    return field;
                }};
    } catch (const InputError&) {
        throw;
    } catch (const std::runtime_error& error) {
        input.refuse(error.what());
    }
}

void put_text(int file, int variable, const char* name, const std::string& text) {
    if (!text.empty()) done(NETCDF(nc_put_att_text)(file, variable, name, text.size(), text.c_str()));
}

void put_number(int file, const char* name, double value) {
    done(NETCDF(nc_put_att_double)(file, kGlobal, name, kDouble, 1, &value));
}

// Defines all variables, then writes their values.
void fill(int file, const FieldSet& set) {
    const Field& first = *set.fields.front().field;
    const auto variable = [&](const std::string& name, int type, std::initializer_list<int> dimensions) {
        int id = 0;
        done(
            NETCDF(nc_def_var)(file, name.c_str(), type, int(dimensions.size()), std::data(dimensions), &id));
        return id;
    };
    const auto axis = [&](const char* name, const char* kind, int id, const std::string& unit) {
        put_text(file, id, "axis", kind);
        put_text(file, id, "long_name", std::string_view(name) == "t" ? "time" : name);
        put_text(file, id, "units", unit);
        return id;
    };
    int along_y = 0, along_x = 0, before = 0;
    done(NETCDF(nc_def_dim)(file, "y", std::size_t(first.ny()), &along_y));
    done(NETCDF(nc_def_dim)(file, "x", std::size_t(first.nx()), &along_x));
    const int y = axis("y", "Y", variable("y", kDouble, {along_y}), set.run.length_unit);
    const int x = axis("x", "X", variable("x", kDouble, {along_x}), set.run.length_unit);
    const int t = set.moment.time ? axis("t", "T", variable("t", kDouble, {}), set.run.time_unit) : -1;
    std::vector<int> fields;
    for (const NamedField& one : set.fields) {
        const int type = one.field->dtype() == DType::float32 ? kFloat : kDouble;
        fields.push_back(variable(one.name, type, {along_y, along_x}));
        if (set.moment.time) put_text(file, fields.back(), "coordinates", "t");
    }
    put_text(file, kGlobal, "program", "stencilscope " STENCILSCOPE_VERSION);
    put_text(file, kGlobal, "components", fmt::format("{}", fmt::join(set.run.components, " ")));
    put_text(file, kGlobal, "spec", set.run.spec);
    put_number(file, "dx", set.run.dx);
    put_number(file, "step", double(set.moment.step));
    constexpr int kNoFill = 0x100;
    done(NETCDF(nc_set_fill)(file, kNoFill, &before));
    done(NETCDF(nc_enddef)(file));
    done(NETCDF(nc_put_var_double)(file, y, centres(set.run.y, set.run.dx, first.ny()).data()));
    done(NETCDF(nc_put_var_double)(file, x, centres(set.run.x, set.run.dx, first.nx()).data()));
    if (set.moment.time) done(NETCDF(nc_put_var_double)(file, t, &*set.moment.time));
    for (std::size_t i = 0; i < fields.size(); ++i)
        set.fields[i].field->visit([&]<class T>(const Array<T>& array) {
            if constexpr (sizeof(T) == sizeof(float))
                done(NETCDF(nc_put_var_float)(file, fields[i], array.data()));
            else
                done(NETCDF(nc_put_var_double)(file, fields[i], array.data()));
        });
}

}  // namespace
}  // namespace netcdf

std::string why_no_netcdf() {
    return netcdf::library().why_none().empty()
               ? ""
               : "netCDF's library was not found (libnetcdf: it comes with the "
                 "package netcdf-bin)";
}

FoundField open_netcdf(const FieldPlace& place) {
    InputFile input(place.file);
    char start[3] = {};
    input.read_some(std::as_writable_bytes(std::span(start)));
    return std::string_view(start, 3) == "CDF" ? netcdf::open_classic(input, place) : open_hdf5(place);
}

void write_netcdf(const std::filesystem::path& path, const FieldSet& set) {
    using netcdf::done;
    const std::lock_guard lock(netcdf::one_at_a_time());
    if (const std::string why = why_no_netcdf(); !why.empty())
        throw FileError("cannot write {}: {}", path.string(), why);
    AtomicFile out(path, AtomicFile::Temporary::named);
    // CDF-2, which more programs read, has variables below 4 GiB.
    constexpr int kCdf2 = 0x200, kCdf5 = 0x20;
    constexpr double kMostBytes = 4294967292;
    double largest = 0;
    for (const NamedField& one : set.fields)
        largest = std::max(largest, double(one.field->size()) * double(bytes_of(one.field->dtype())));
    int file = 0;
    try {
        done(NETCDF(nc_create)(out.open_name().c_str(), largest > kMostBytes ? kCdf5 : kCdf2, &file));
        try {
            netcdf::fill(file, set);
        } catch (...) {
            NETCDF(nc_close)(file);
            throw;
        }
        done(NETCDF(nc_close)(file));
    } catch (const std::runtime_error& error) {
        throw FileError("cannot write {}: {}", path.string(), error.what());
    }
    out.commit();
}

}  // namespace stencil
