#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <mutex>
#include <utility>

#include "kernels/cpu/late_library.h"
#include "sim/files/atomic_file.h"
#include "sim/files/exchange/field_set.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

// The HDF5 library is loaded on first use because it pulls in network libraries that other runs do not need.
namespace hdf5 {

// Declarations from the headers of versions 1.10 to 1.14, so that building does not need them.
using Id = std::int64_t;     // hid_t
using Size = std::uint64_t;  // hsize_t
struct Error {               // H5E_error2_t
    Id class_id, major, minor;
    unsigned line;
    const char *function, *file, *text;
};
using SeeError = int (*)(unsigned number, const Error* error, void* data);

constexpr unsigned kTruncate = 2;                   // H5F_ACC_TRUNC
constexpr std::size_t kVariable = std::size_t(-1);  // H5T_VARIABLE
constexpr int kUtf8 = 1;                            // H5T_CSET_UTF8

struct Library {
    int (*open)();
    int (*no_end)();
    Id (*create_file)(const char* name, unsigned flags, Id creation, Id access);
    int (*close_file)(Id);
    int (*release)(Id);
    Id (*new_properties)(Id kind);
    int (*set_tracking)(Id properties, bool times);
    int (*set_locking)(Id properties, bool use, bool ignore_failure);
    int (*set_virtual)(Id properties, Id space, const char* file, const char* name, Id source);
    Id (*new_space)(int rank, const Size* sizes, const Size* largest);
    int (*select)(Id space, int how, const Size* start, const Size* stride, const Size* count, const Size*);
    Id (*new_dataset)(Id place, const char* name, Id type, Id space, Id link, Id creation, Id access);
    int (*write)(Id dataset, Id type, Id memory, Id file, Id properties, const void* data);
    Id (*new_attribute)(Id place, const char* name, Id type, Id space, Id creation, Id access);
    int (*write_attribute)(Id attribute, Id type, const void* data);
    Id (*copy_type)(Id);
    int (*set_size)(Id type, std::size_t);
    int (*set_characters)(Id type, int);
    int (*print_errors)(Id stack, void* function, void* data);
    int (*walk_errors)(Id stack, int direction, SeeError, void* data);

    Id type_float, type_double, type_integer, type_text, file_access, dataset_creation;

    std::string why_none;  ///< why it is not available; empty if it is
};

bool find(void* handle, const char* name, Id& value) {
    const Id* place = nullptr;
    if (find_symbol(handle, name, place)) value = *place;
    return place != nullptr;
}

bool find_functions(void* handle, Library& to) {
    return find_symbol(handle, "H5open", to.open) && find_symbol(handle, "H5dont_atexit", to.no_end) &&
           find_symbol(handle, "H5Fcreate", to.create_file) &&
           find_symbol(handle, "H5Fclose", to.close_file) && find_symbol(handle, "H5Idec_ref", to.release) &&
           find_symbol(handle, "H5Pcreate", to.new_properties) &&
           find_symbol(handle, "H5Pset_obj_track_times", to.set_tracking) &&
           find_symbol(handle, "H5Pset_file_locking", to.set_locking) &&
           find_symbol(handle, "H5Pset_virtual", to.set_virtual) &&
           find_symbol(handle, "H5Screate_simple", to.new_space) &&
           find_symbol(handle, "H5Sselect_hyperslab", to.select) &&
           find_symbol(handle, "H5Dcreate2", to.new_dataset) && find_symbol(handle, "H5Dwrite", to.write) &&
           find_symbol(handle, "H5Acreate2", to.new_attribute) &&
           find_symbol(handle, "H5Awrite", to.write_attribute) &&
           find_symbol(handle, "H5Tcopy", to.copy_type) && find_symbol(handle, "H5Tset_size", to.set_size) &&
           find_symbol(handle, "H5Tset_cset", to.set_characters) &&
           find_symbol(handle, "H5Eset_auto2", to.print_errors) &&
           find_symbol(handle, "H5Ewalk2", to.walk_errors);
}

// The library fills in these values when it is opened.
bool find_values(void* handle, Library& to) {
    return find(handle, "H5T_NATIVE_FLOAT_g", to.type_float) &&
           find(handle, "H5T_NATIVE_DOUBLE_g", to.type_double) &&
           find(handle, "H5T_NATIVE_INT64_g", to.type_integer) && find(handle, "H5T_C_S1_g", to.type_text) &&
           find(handle, "H5P_CLS_FILE_ACCESS_ID_g", to.file_access) &&
           find(handle, "H5P_CLS_DATASET_CREATE_ID_g", to.dataset_creation);
}

Library open_library() {
    Library result{};
    void* const handle = load_library({"libhdf5_serial.so.310",
                                       "libhdf5_serial.so.103",
                                       "libhdf5.so.310",
                                       "libhdf5.so.200",
                                       "libhdf5.so.103"});
    if (!handle)
        result.why_none = "HDF5's library was not found (libhdf5: it comes with the package hdf5-tools)";
    // no_end() disables the atexit handler, which would repeat a failed write and report it again.
    else if (!find_functions(handle, result) || result.no_end() < 0 || result.open() < 0 ||
             !find_values(handle, result))
        result.why_none = "HDF5's library is older than 1.10.7";
    else
        result.print_errors(0, nullptr, nullptr);
    return result;
}

const Library& library() {
    static const Library opened = open_library();
    return opened;
}

}  // namespace hdf5

using hdf5::Id, hdf5::Size, hdf5::library;

// The innermost HDF5 error, reduced to the system's message if there is one.
std::string last_error() {
    std::string text = "HDF5 does not say why";
    const auto see = [](unsigned number, const hdf5::Error* error, void* data) {
        if (number == 0) *static_cast<std::string*>(data) = error->text;
        return 0;
    };
    library().walk_errors(0, 0, see, &text);
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
    explicit Owned(Id id) : id_(done(id)) {}
    Owned(Owned&& other) : id_(std::exchange(other.id_, -1)) {}
    ~Owned() {
        if (id_ >= 0) library().release(id_);
    }
    operator Id() const { return id_; }

  private:
    Id id_;
};

Owned space_of(std::initializer_list<Size> sizes) {
    return Owned(library().new_space(int(sizes.size()), std::data(sizes), nullptr));
}

Id type_of(DType dtype) {
    return dtype == DType::float32 ? library().type_float : library().type_double;
}

// Disables time stamps, so that equal runs write equal bytes.
Owned dataset_properties() {
    Owned properties(library().new_properties(library().dataset_creation));
    done(library().set_tracking(properties, false));
    return properties;
}

void add_dataset(
    Id place, const std::string& name, Id type, std::initializer_list<Size> sizes, const void* data) {
    const Owned space = space_of(sizes), properties = dataset_properties();
    const Owned dataset(library().new_dataset(place, name.c_str(), type, space, 0, properties, 0));
    done(library().write(dataset, type, 0, 0, 0, data));
}

// Writes a scalar if there are no sizes.
void add_attribute(Id place, const char* name, Id type, std::initializer_list<Size> sizes, const void* data) {
    const Owned space = space_of(sizes);
    const Owned attribute(library().new_attribute(place, name, type, space, 0, 0));
    done(library().write_attribute(attribute, type, data));
}

void add_notes(Id file, const RunNotes& run) {
    const Owned text(library().copy_type(library().type_text));
    done(library().set_size(text, hdf5::kVariable));
    done(library().set_characters(text, hdf5::kUtf8));
    const auto add_text = [&](const char* name, const std::string& value) {
        const char* start = value.c_str();
        add_attribute(file, name, text, {}, &start);
    };
    add_text("program", "stencilscope " STENCILSCOPE_VERSION);
    std::vector<const char*> names;
    for (const std::string& name : run.components) names.push_back(name.c_str());
    add_attribute(file, "components", text, {names.size()}, names.data());
    add_attribute(file, "dx", library().type_double, {}, &run.dx);
    add_text("length_unit", run.length_unit);
    add_text("time_unit", run.time_unit);
    add_text("spec", run.spec);
}

// Maps the part files' datasets of that name into one virtual dataset.
void add_virtual_dataset(Id file, const FieldSeries& series, const std::string& name) {
    const Size nx = Size(series.nx), ny = Size(series.ny);
    const Owned whole = space_of({series.parts.size(), ny, nx});
    const Owned one = space_of({ny, nx});
    const Owned properties = dataset_properties();
    const Size count[] = {1, ny, nx};
    for (Size i = 0; i < series.parts.size(); ++i) {
        const Size start[] = {i, 0, 0};
        done(library().select(whole, 0, start, nullptr, count, nullptr));
        done(library().set_virtual(properties, whole, series.parts[i].file.c_str(), name.c_str(), one));
    }
    const Owned space = space_of({series.parts.size(), ny, nx});
    const Owned dataset(
        library().new_dataset(file, name.c_str(), type_of(series.dtype), space, 0, properties, 0));
}

// Disables HDF5's own locks, which conflict with AtomicFile's.
template <class Fill>
void write_file(const std::filesystem::path& path, const Fill& fill) {
    static std::mutex one_at_a_time;  // for builds that are not thread-safe
    const std::lock_guard lock(one_at_a_time);
    if (const std::string why = why_no_hdf5(); !why.empty())
        throw FileError(fmt::format("cannot write {}: {}", path.string(), why));
    AtomicFile out(path, AtomicFile::Temporary::named);
    try {
        const Owned access(library().new_properties(library().file_access));
        done(library().set_locking(access, false, true));
        const Id file = done(library().create_file(out.open_name().c_str(), hdf5::kTruncate, 0, access));
        try {
            fill(file);
        } catch (...) {
            library().close_file(file);
            throw;
        }
        done(library().close_file(file));
    } catch (const std::runtime_error& error) {
        throw FileError(fmt::format("cannot write {}: {}", path.string(), error.what()));
    }
    out.commit();
}

}  // namespace

std::string why_no_hdf5() {
    return library().why_none;
}

void write_hdf5(const std::filesystem::path& path, const FieldSet& set) {
    write_file(path, [&](Id file) {
        for (const NamedField& one : set.fields)
            one.field->visit([&](const auto& array) {
                const Size nx = Size(array.nx()), ny = Size(array.ny());
                add_dataset(file, one.name, type_of(one.field->dtype()), {ny, nx}, array.data());
            });
        add_notes(file, set.run);
        const std::int64_t step = set.moment.step;
        add_attribute(file, "step", library().type_integer, {}, &step);
        if (set.moment.time) add_attribute(file, "time", library().type_double, {}, &*set.moment.time);
    });
}

void write_hdf5_series(const std::filesystem::path& path, const FieldSeries& series) {
    write_file(path, [&](Id file) {
        for (const std::string& name : series.names) add_virtual_dataset(file, series, name);
        std::vector<std::int64_t> steps;
        std::vector<double> times;
        for (const auto& [name, moment] : series.parts) {
            steps.push_back(moment.step);
            times.push_back(moment.time.value_or(std::numeric_limits<double>::quiet_NaN()));
        }
        add_dataset(file, "step", library().type_integer, {steps.size()}, steps.data());
        add_dataset(file, "t", library().type_double, {times.size()}, times.data());
        add_notes(file, series.run);
    });
}

}  // namespace stencil
