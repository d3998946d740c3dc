
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cpu/late_library.h"
#include "sim/files/atomic_file.h"
#include "sim/files/exchange/field_set.h"
#include "sim/files/field_file.h"

// Declarations from the headers of versions 1.10 to 1.14, so that building does not need them.
extern "C" {
using hid_t = std::int64_t;
using hsize_t = std::uint64_t;
struct H5E_error2_t {
    hid_t class_id, major, minor;
    unsigned line;
    const char *function, *file, *text;
};
int H5open();
int H5dont_atexit();
hid_t H5Fcreate(const char* name, unsigned flags, hid_t creation, hid_t access);
hid_t H5Fopen(const char* name, unsigned flags, hid_t access);
int H5Fclose(hid_t);
std::ptrdiff_t H5Lget_name_by_idx(hid_t place,
                                  const char* group,
                                  int index,
                                  int order,
                                  hsize_t number,
                                  char* name,
                                  std::size_t size,
                                  hid_t access);
hid_t H5Dopen2(hid_t place, const char* name, hid_t access);
hid_t H5Dget_space(hid_t dataset);
hid_t H5Dget_type(hid_t dataset);
int H5Dread(hid_t dataset, hid_t type, hid_t memory, hid_t file, hid_t properties, void* data);
int H5Sget_simple_extent_ndims(hid_t space);
int H5Sget_simple_extent_dims(hid_t space, hsize_t* sizes, hsize_t* largest);
std::int64_t H5Sget_simple_extent_npoints(hid_t space);
int H5Tget_class(hid_t type);
std::size_t H5Tget_size(hid_t type);
hid_t H5Tvlen_create(hid_t base);
int H5Rcreate(void* reference, hid_t place, const char* name, int kind, hid_t space);
int H5Aexists(hid_t place, const char* name);
hid_t H5Aopen(hid_t place, const char* name, hid_t access);
hid_t H5Aget_space(hid_t attribute);
int H5Aread(hid_t attribute, hid_t type, void* data);
int H5Idec_ref(hid_t);
hid_t H5Pcreate(hid_t kind);
int H5Pset_obj_track_times(hid_t properties, bool times);
int H5Pset_file_locking(hid_t properties, bool use, bool ignore_failure);
int H5Pset_virtual(hid_t properties, hid_t space, const char* file, const char* name, hid_t source);
hid_t H5Screate_simple(int rank, const hsize_t* sizes, const hsize_t* largest);
int H5Sselect_hyperslab(
    hid_t space, int how, const hsize_t* start, const hsize_t* stride, const hsize_t* count, const hsize_t*);
hid_t H5Dcreate2(
    hid_t place, const char* name, hid_t type, hid_t space, hid_t link, hid_t creation, hid_t access);
int H5Dwrite(hid_t dataset, hid_t type, hid_t memory, hid_t file, hid_t properties, const void* data);
hid_t H5Acreate2(hid_t place, const char* name, hid_t type, hid_t space, hid_t creation, hid_t access);
int H5Awrite(hid_t attribute, hid_t type, const void* data);
hid_t H5Tcopy(hid_t);
int H5Tset_size(hid_t type, std::size_t);
int H5Tset_cset(hid_t type, int);
int H5Eset_auto2(hid_t stack, void* function, void* data);
int H5Ewalk2(hid_t stack,
             int direction,
             int (*see)(unsigned number, const H5E_error2_t* error, void* data),
             void* data);
// The library fills in these values when it is opened.
extern hid_t H5T_NATIVE_FLOAT_g, H5T_NATIVE_DOUBLE_g, H5T_NATIVE_INT64_g, H5T_C_S1_g, H5T_STD_REF_OBJ_g;
extern hid_t H5P_CLS_FILE_ACCESS_ID_g, H5P_CLS_DATASET_CREATE_ID_g;
}

namespace stencil {
namespace {

constexpr unsigned kTruncate = 2;                   // H5F_ACC_TRUNC
constexpr std::size_t kVariable = std::size_t(-1);  // H5T_VARIABLE
constexpr int kUtf8 = 1;                            // H5T_CSET_UTF8

// Loaded on first use, because it pulls in network libraries that other runs do not need.
const LazyLibrary& library() {
    static const LazyLibrary opened = [] {
        const char* found = "";
        for (const char* name : {"libhdf5_serial.so.310",
                                 "libhdf5_serial.so.103",
                                 "libhdf5.so.310",
                                 "libhdf5.so.200",
                                 "libhdf5.so.103"})
            if (load_library({name})) {
                found = name;
                break;
            }
        return LazyLibrary(found, "HDF5");
    }();
    return opened;
}
#define HDF5(name) LATE_FUNCTION(library(), name)

std::string open_library() {
    if (!library().why_none().empty())
        return "HDF5's library was not found (libhdf5: it comes with the package hdf5-tools)";
    try {
        HDF5(H5Pset_file_locking);  // since 1.10.7
        // The atexit handler would repeat a failed write and report it again.
        if (HDF5(H5dont_atexit)() >= 0 && HDF5(H5open)() >= 0) {
            HDF5(H5Eset_auto2)(0, nullptr, nullptr);
            return "";
        }
    } catch (const MissingLibrary&) {
        // A missing function means that the library is too old.
    }
    return "HDF5's library is older than 1.10.7";
}

// The innermost HDF5 error, reduced to the system's message if there is one.
std::string last_error() {
    std::string text = "HDF5 does not say why";
    const auto see = [](unsigned number, const H5E_error2_t* error, void* data) {
        if (number == 0) *static_cast<std::string*>(data) = error->text;
        return 0;
    };
    HDF5(H5Ewalk2)(0, 0, see, &text);
    constexpr std::string_view mark = "error message = '";
    if (const auto at = text.find(mark); at != std::string::npos) {
        text.erase(0, at + mark.size());
        text.erase(std::min(text.size(), text.find('\'')));
    }
    return text;
}

template <class Answer>
Answer done(Answer answer) {
    if (answer < 0) throw std::runtime_error(last_error());
    return answer;
}

// An owned HDF5 handle of any kind.
class Owned {
  public:
    explicit Owned(hid_t id) : id_(done(id)) {}
    Owned(Owned&& other) : id_(std::exchange(other.id_, -1)) {}
    ~Owned() {
        if (id_ >= 0) HDF5(H5Idec_ref)(id_);
    }
    operator hid_t() const { return id_; }
    /// Closing a dataset writes its last bytes and may fail, so datasets that are written must be closed by
    /// this.
    void close() { done(HDF5(H5Idec_ref)(std::exchange(id_, -1))); }

  private:
    hid_t id_;
};

Owned space_of(const std::vector<hsize_t>& sizes) {
    return Owned(HDF5(H5Screate_simple)(int(sizes.size()), sizes.data(), nullptr));
}

hid_t type_of(DType dtype) {
    return dtype == DType::float32 ? *HDF5(H5T_NATIVE_FLOAT_g) : *HDF5(H5T_NATIVE_DOUBLE_g);
}

// Disables time stamps, so that equal runs write equal bytes.
Owned dataset_properties() {
    Owned properties(HDF5(H5Pcreate)(*HDF5(H5P_CLS_DATASET_CREATE_ID_g)));
    done(HDF5(H5Pset_obj_track_times)(properties, false));
    return properties;
}

void add_dataset(
    hid_t place, const std::string& name, hid_t type, const std::vector<hsize_t>& sizes, const void* data) {
    const Owned space = space_of(sizes), properties = dataset_properties();
    Owned dataset(HDF5(H5Dcreate2)(place, name.c_str(), type, space, 0, properties, 0));
    done(HDF5(H5Dwrite)(dataset, type, 0, 0, 0, data));
    dataset.close();
}

// Writes an attribute, a scalar if there are no sizes.
void add_attribute(
    hid_t place, const char* name, hid_t type, const std::vector<hsize_t>& sizes, const void* data) {
    const Owned space = space_of(sizes);
    Owned attribute(HDF5(H5Acreate2)(place, name, type, space, 0, 0));
    done(HDF5(H5Awrite)(attribute, type, data));
    attribute.close();
}

// Of texts of any length.
Owned texts_type() {
    Owned text(HDF5(H5Tcopy)(*HDF5(H5T_C_S1_g)));
    done(HDF5(H5Tset_size)(text, kVariable));
    done(HDF5(H5Tset_cset)(text, kUtf8));
    return text;
}

std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<const char*> pointers;
    for (const std::string& text : texts) pointers.push_back(text.c_str());
    return pointers;
}

void add_notes(hid_t file, const RunNotes& run) {
    const Owned text = texts_type();
    const auto add = [&](const char* name, const std::string& value) {
        const char* start = value.c_str();
        add_attribute(file, name, text, {}, &start);
    };
    add("program", "stencilscope " STENCILSCOPE_VERSION);
    const auto names = pointers_to(run.components);
    add_attribute(file, "components", text, {names.size()}, names.data());
    add_attribute(file, "dx", *HDF5(H5T_NATIVE_DOUBLE_g), {}, &run.dx);
    add("length_unit", run.length_unit);
    add("time_unit", run.time_unit);
    add("spec", run.spec);
}

// Maps the part files' datasets of that name into one virtual dataset.
void add_virtual_dataset(hid_t file, const FieldSeries& series, const std::string& name) {
    const hsize_t nx = hsize_t(series.nx), ny = hsize_t(series.ny);
    const Owned whole = space_of({series.parts.size(), ny, nx});
    const Owned one = space_of({ny, nx});
    const Owned properties = dataset_properties();
    const hsize_t count[] = {1, ny, nx};
    for (hsize_t i = 0; i < series.parts.size(); ++i) {
        const hsize_t start[] = {i, 0, 0};
        done(HDF5(H5Sselect_hyperslab)(whole, 0, start, nullptr, count, nullptr));
        done(HDF5(H5Pset_virtual)(properties, whole, series.parts[i].file.c_str(), name.c_str(), one));
    }
    const Owned space = space_of({series.parts.size(), ny, nx});
    Owned(HDF5(H5Dcreate2)(file, name.c_str(), type_of(series.dtype), space, 0, properties, 0)).close();
}

// The places along a dimension.
struct Scale {
    std::string name, unit;
    std::vector<double> values;
};

Owned text_type(std::size_t size) {
    Owned type(HDF5(H5Tcopy)(*HDF5(H5T_C_S1_g)));
    done(HDF5(H5Tset_size)(type, size));
    return type;
}

void add_text(hid_t place, const char* name, const std::string& text) {
    add_attribute(place, name, text_type(text.size() + 1), {}, text.c_str());
}

// A dataset that gives the places along a dimension (HDF5 Dimension Scale Specification).
void add_scale(hid_t file, const Scale& scale) {
    add_dataset(file, scale.name, *HDF5(H5T_NATIVE_DOUBLE_g), {scale.values.size()}, scale.values.data());
    const Owned dataset(HDF5(H5Dopen2)(file, scale.name.c_str(), 0));
    add_text(dataset, "CLASS", "DIMENSION_SCALE");
    add_text(dataset, "NAME", scale.name);
    if (scale.name == "t" || scale.name == "y" || scale.name == "x")
        add_text(dataset, "axis", scale.name == "t" ? "T" : scale.name == "y" ? "Y" : "X");
    add_text(dataset, "long_name", scale.name == "t" ? "time" : scale.name);
    if (!scale.unit.empty()) add_text(dataset, "units", scale.unit);
}

// Says which scales a dataset lies over.
void attach_scales(hid_t file, const std::string& name, const std::vector<std::string>& scales) {
    struct List {
        std::size_t length;
        void* first;
    };
    std::vector<std::uint64_t> references(scales.size());
    std::vector<List> lists;
    for (std::size_t i = 0; i < scales.size(); ++i) {
        done(HDF5(H5Rcreate)(&references[i], file, scales[i].c_str(), 0, -1));
        lists.push_back({1, &references[i]});
    }
    const Owned dataset(HDF5(H5Dopen2)(file, name.c_str(), 0));
    const Owned type(HDF5(H5Tvlen_create)(*HDF5(H5T_STD_REF_OBJ_g)));
    add_attribute(dataset, "DIMENSION_LIST", type, {lists.size()}, lists.data());
}

void add_axes(hid_t file, const RunNotes& run, int nx, int ny) {
    add_scale(file, {"y", run.length_unit, centres(run.y, run.dx, ny)});
    add_scale(file, {"x", run.length_unit, centres(run.x, run.dx, nx)});
}

// A '/' in a name would be a group.
std::string link_name(std::string name) {
    for (std::size_t at = 0; (at = name.find('/', at)) != name.npos;) name.replace(at, 1, " per ");
    return name;
}

std::mutex& one_at_a_time() {  // for builds that are not thread-safe
    static std::mutex mutex;
    return mutex;
}

// Disables HDF5's own locks, which conflict with AtomicFile's.
template <class Fill>
void write_file(const std::filesystem::path& path, const Fill& fill) {
    const std::lock_guard lock(one_at_a_time());
    if (const std::string why = why_no_hdf5(); !why.empty())
        throw FileError("cannot write {}: {}", path.string(), why);
    AtomicFile out(path, AtomicFile::Temporary::named);
    try {
        const Owned access(HDF5(H5Pcreate)(*HDF5(H5P_CLS_FILE_ACCESS_ID_g)));
        done(HDF5(H5Pset_file_locking)(access, false, true));
        const hid_t file = done(HDF5(H5Fcreate)(out.open_name().c_str(), kTruncate, 0, access));
        try {
            fill(file);
        } catch (...) {
            HDF5(H5Fclose)(file);
            throw;
        }
        done(HDF5(H5Fclose)(file));
    } catch (const std::runtime_error& error) {
        throw FileError("cannot write {}: {}", path.string(), error.what());
    }
    out.commit();
}

// A file that is read, with HDF5's lock on this process.
struct OpenFile {
    explicit OpenFile(const InputFile& input, const std::string& path) : lock(one_at_a_time()) {
        const Owned access(HDF5(H5Pcreate)(*HDF5(H5P_CLS_FILE_ACCESS_ID_g)));
        done(HDF5(H5Pset_file_locking)(access, false, true));
        id = HDF5(H5Fopen)(path.c_str(), 0, access);
        if (id < 0) input.refuse("damaged, or not an HDF5 file");
    }
    ~OpenFile() { HDF5(H5Fclose)(id); }

    std::lock_guard<std::mutex> lock;
    hid_t id;
};

// The two axes of a dataset of numbers that are longer than 1, or are last; none for others.
struct Plane {
    hsize_t nx = 0, ny = 0;
    bool wide = true;  ///< float64
};
Plane plane_of(hid_t dataset) {
    constexpr int kInteger = 0, kFloat = 1, kMostAxes = 32;
    const Owned space(HDF5(H5Dget_space)(dataset)), type(HDF5(H5Dget_type)(dataset));
    const int kind = HDF5(H5Tget_class)(type), axes = HDF5(H5Sget_simple_extent_ndims)(space);
    if ((kind != kInteger && kind != kFloat) || axes < 2 || axes > kMostAxes) return {};
    hsize_t sizes[kMostAxes] = {};
    HDF5(H5Sget_simple_extent_dims)(space, sizes, nullptr);
    for (int i = 0; i < axes - 2; ++i)
        if (sizes[i] != 1) return {};
    return {sizes[axes - 1], sizes[axes - 2], kind == kInteger || HDF5(H5Tget_size)(type) > 4};
}

double number_of(hid_t dataset, const char* name, double otherwise) {
    if (HDF5(H5Aexists)(dataset, name) <= 0) return otherwise;
    const Owned attribute(HDF5(H5Aopen)(dataset, name, 0)), space(HDF5(H5Aget_space)(attribute));
    double value = otherwise;
    if (HDF5(H5Sget_simple_extent_npoints)(space) == 1)
        HDF5(H5Aread)(attribute, *HDF5(H5T_NATIVE_DOUBLE_g), &value);
    return value;
}

}  // namespace

FoundField open_hdf5(const FieldPlace& place) {
    const InputFile input(place.file);
    if (const std::string why = why_no_hdf5(); !why.empty()) input.refuse(why);
    try {
        const OpenFile file(input, place.file);
        std::vector<std::string> names;
        std::vector<Plane> planes;
        for (hsize_t i = 0;; ++i) {
            char name[256] = {};
            if (HDF5(H5Lget_name_by_idx)(file.id, ".", 0, 0, i, name, sizeof name, 0) < 0) break;
            const hid_t dataset = HDF5(H5Dopen2)(file.id, name, 0);
            if (dataset < 0) continue;  // a group
            const Owned owned(dataset);
            if (const Plane plane = plane_of(owned); plane.nx > 0) {
                names.emplace_back(name);
                planes.push_back(plane);
            }
        }
        const std::size_t index = chosen_variable(input, place, names);
        const auto [nx, ny, wide] = planes[index];
        require_field_size(input, nx, ny);
        return {int(nx), int(ny), [path = place.file, name = names[index], nx, ny, wide] {
                    const InputFile again(path);
                    const OpenFile opened(again, path);
                    const Owned dataset(HDF5(H5Dopen2)(opened.id, name.c_str(), 0));
                    Field field(wide ? DType::float64 : DType::float32, int(nx), int(ny));
                    const bool read = field.visit([&](auto& array) {
                        return HDF5(H5Dread)(dataset, type_of(field.dtype()), 0, 0, 0, array.data()) >= 0;
                    });
                    if (!read) again.refuse(last_error());
                    unpack(field, [&](const char* attribute, double otherwise) {
                        return number_of(dataset, attribute, otherwise);
                    });
                    return field;
                }};
    } catch (const InputError&) {
        throw;
    } catch (const std::runtime_error& error) {
        input.refuse(error.what());
    }
}

std::vector<double> centres(double corner, double dx, int cells) {
    std::vector<double> values;
    for (int i = 0; i < cells; ++i) values.push_back(corner + (i + 0.5) * dx);
    return values;
}

std::string why_no_hdf5() {
    static const std::string why = open_library();
    return why;
}

void write_hdf5(const std::filesystem::path& path, const FieldSet& set) {
    write_file(path, [&](hid_t file) {
        const Field& first = *set.fields.front().field;
        add_axes(file, set.run, first.nx(), first.ny());
        if (set.moment.time) {
            add_dataset(file, "t", *HDF5(H5T_NATIVE_DOUBLE_g), {}, &*set.moment.time);
            const Owned t(HDF5(H5Dopen2)(file, "t", 0));
            if (!set.run.time_unit.empty()) add_text(t, "units", set.run.time_unit);
        }
        for (const NamedField& one : set.fields) {
            one.field->visit([&](const auto& array) {
                const hsize_t nx = hsize_t(array.nx()), ny = hsize_t(array.ny());
                add_dataset(file, one.name, type_of(one.field->dtype()), {ny, nx}, array.data());
            });
            attach_scales(file, one.name, {"y", "x"});
            const Owned dataset(HDF5(H5Dopen2)(file, one.name.c_str(), 0));
            if (set.moment.time) add_text(dataset, "coordinates", "t");
        }
        add_notes(file, set.run);
        const std::int64_t step = set.moment.step;
        add_attribute(file, "step", *HDF5(H5T_NATIVE_INT64_g), {}, &step);
        if (set.moment.time) add_attribute(file, "time", *HDF5(H5T_NATIVE_DOUBLE_g), {}, &*set.moment.time);
    });
}

void write_hdf5_series(const std::filesystem::path& path, const FieldSeries& series) {
    write_file(path, [&](hid_t file) {
        add_axes(file, series.run, series.nx, series.ny);
        std::vector<std::int64_t> steps;
        std::vector<double> times;
        for (const auto& [name, moment] : series.parts) {
            steps.push_back(moment.step);
            times.push_back(moment.time.value_or(std::numeric_limits<double>::quiet_NaN()));
        }
        add_dataset(file, "step", *HDF5(H5T_NATIVE_INT64_g), {steps.size()}, steps.data());
        add_scale(file, {"t", series.run.time_unit, times});
        attach_scales(file, "step", {"t"});
        for (const std::string& name : series.names) {
            add_virtual_dataset(file, series, name);
            attach_scales(file, name, {"t", "y", "x"});
        }
        add_notes(file, series.run);
    });
}

void write_hdf5_grid(const std::filesystem::path& path, const FieldGrid& grid) {
    write_file(path, [&](hid_t file) {
        add_axes(file, grid.run, grid.nx, grid.ny);
        std::vector<std::string> scales;
        std::vector<hsize_t> runs;
        for (const FieldGrid::Scale& scale : grid.scales) {
            scales.push_back(link_name(scale.name));
            runs.push_back(scale.values.size());
            add_scale(file, {scales.back(), "", scale.values});
            if (scale.labels.empty()) continue;
            const Owned dataset(HDF5(H5Dopen2)(file, scales.back().c_str(), 0));
            add_attribute(
                dataset, "labels", texts_type(), {scale.labels.size()}, pointers_to(scale.labels).data());
        }
        for (const FieldGrid::Numbers& one : grid.numbers) {
            const std::string name = link_name(one.name);
            add_dataset(file, name, *HDF5(H5T_NATIVE_DOUBLE_g), runs, one.values.data());
            attach_scales(file, name, scales);
        }
        add_dataset(file, "status", texts_type(), runs, pointers_to(grid.status).data());
        attach_scales(file, "status", scales);
        std::vector<hsize_t> sizes = runs, count(runs.size(), 1);
        std::vector<std::string> axes = scales;
        for (const int cells : {grid.ny, grid.nx}) {
            sizes.push_back(hsize_t(cells));
            count.push_back(hsize_t(cells));
        }
        axes.insert(axes.end(), {"y", "x"});
        const Owned one = space_of({hsize_t(grid.ny), hsize_t(grid.nx)});
        for (std::size_t i = 0; i < grid.names.size(); ++i) {
            const std::string name = link_name(grid.names[i]);
            const Owned space = space_of(sizes), properties = dataset_properties();
            Owned dataset(HDF5(H5Dcreate2)(file, name.c_str(), type_of(grid.dtype), space, 0, properties, 0));
            std::vector<hsize_t> start(sizes.size());
            for (std::size_t run = 0; run < grid.status.size(); ++run) {
                std::size_t rest = run;
                for (std::size_t axis = runs.size(); axis-- > 0; rest /= runs[axis])
                    start[axis] = rest % runs[axis];
                done(HDF5(H5Sselect_hyperslab)(space, 0, start.data(), nullptr, count.data(), nullptr));
                grid.field(run, i).visit([&](const auto& cells) {
                    done(HDF5(H5Dwrite)(dataset, type_of(grid.dtype), one, space, 0, cells.data()));
                });
            }
            dataset.close();
            attach_scales(file, name, axes);
        }
        add_notes(file, grid.run);
    });
}

}  // namespace stencil
