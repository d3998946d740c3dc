#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <mutex>
#include <utility>

#include "sim/files/atomic_file.h"
#include "sim/files/exchange/field_set.h"
#include "sim/files/exchange/hdf5_library.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

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
