#include "sim/sweep/sweep_store.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <span>

#include "sim/files/atomic_file.h"
#include "sim/files/npy.h"
#include "sim/run/output/exports.h"
#include "sim/text/json.h"

namespace stencil {
namespace {

using Json = nlohmann::ordered_json;

double number_of(const Json& json) {
    return json.is_number() ? json.get<double>() : kNoNumber;
}

Json line_of(std::size_t index, const SweptRun& run) {
    Json statistics = Json::array();
    for (const Statistics& one : run.statistics)
        statistics.push_back({finite_or_null(one.min),
                              finite_or_null(one.max),
                              finite_or_null(one.mean),
                              finite_or_null(one.total),
                              one.not_finite});
    Json observed = Json::array();
    for (const double value : run.observed) observed.push_back(finite_or_null(value));
    return {{"run", index},
            {"status", run.status},
            {"ended_by", run.ended_by},
            {"steps", run.steps},
            {"time", finite_or_null(run.time)},
            {"dt", finite_or_null(run.dt)},
            {"seconds", run.seconds},
            {"statistics", statistics},
            {"wavelength", finite_or_null(run.wavelength)},
            {"growth", finite_or_null(run.growth)},
            {"observed", observed},
            {"field_hash", run.field_hash}};
}

SweptRun run_of(const Json& line) {
    SweptRun run;
    run.status = line.at("status").get<std::string>();
    run.ended_by = line.at("ended_by").get<std::string>();
    run.steps = line.at("steps").get<long long>();
    run.time = number_of(line.at("time"));
    run.dt = number_of(line.at("dt"));
    run.seconds = number_of(line.at("seconds"));
    for (const Json& one : line.at("statistics"))
        run.statistics.push_back({number_of(one.at(0)),
                                  number_of(one.at(1)),
                                  number_of(one.at(3)),
                                  number_of(one.at(2)),
                                  one.at(4).get<std::size_t>()});
    run.wavelength = number_of(line.at("wavelength"));
    run.growth = number_of(line.at("growth"));
    for (const Json& one : line.at("observed")) run.observed.push_back(number_of(one));
    run.field_hash = line.at("field_hash").get<std::string>();
    return run;
}

[[noreturn]] void fail(const std::filesystem::path& path) {
    throw FileError("cannot write {}: {}", path.string(), std::strerror(errno));
}

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

}  // namespace

std::vector<Field> planes_of(Simulation& simulation) {
    std::vector<Field> planes;
    for (const std::string& formula : output_formulas(simulation.now()))
        planes.push_back(simulation.solver().field(formula));
    return planes;
}

SweepStore::SweepStore(const std::filesystem::path& folder, const Sweep& sweep, bool with_fields)
    : lines_(folder / "runs.jsonl"),
      array_(folder / "fields.npy"),
      planes_(output_formulas(sweep.resolved())),
      runs_(sweep.count()),
      nx_(sweep.resolved().size->nx),
      ny_(sweep.resolved().size->ny),
      dtype_(sweep.resolved().dtype),
      has_field_(runs_) {
    if (!with_fields) return;
    std::vector<std::int64_t> shape;
    for (const std::size_t axis : sweep.spec().shape()) shape.push_back(std::int64_t(axis));
    for (const std::size_t one : {planes_.size(), std::size_t(ny_), std::size_t(nx_)})
        shape.push_back(std::int64_t(one));
    header_ = npy_header_text(dtype_ == DType::float32 ? "<f4" : "<f8", shape);
    file_ = Descriptor(::open(array_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (!file_) fail(array_);
    std::string found(header_.size(), '\0');
    const bool whole = ::pread(file_.number(), found.data(), found.size(), 0) == ssize_t(found.size());
    struct ::stat status = {};
    const std::uint64_t size = offset_of(runs_, 0);
    known_ = whole && found == header_ && ::fstat(file_.number(), &status) == 0 &&
             std::uint64_t(status.st_size) == size;
    if (known_) return;
    if (::ftruncate(file_.number(), 0) != 0 || ::ftruncate(file_.number(), off_t(size)) != 0 ||
        !write_all(file_.number(), bytes_of(header_), 0))
        fail(array_);
}

std::size_t SweepStore::give_to(Sweep& sweep) {
    std::ifstream stream(lines_);
    std::size_t given = 0;
    if (file_ && !known_) stream.setstate(std::ios::failbit);
    for (std::string text; std::getline(stream, text);) {
        const Json line = Json::parse(text, nullptr, false);
        if (line.is_discarded()) continue;  // of a process that was killed while it wrote
        try {
            const auto index = line.at("run").get<std::size_t>();
            SweptRun run = run_of(line);
            if (index >= runs_ || sweep.run(index).ended() || run.field_hash.empty()) continue;
            sweep.take(index, std::move(run));
            has_field_[index] = bool(file_);
            ++given;
        } catch (const Json::exception&) {
        }
    }
    if (given == 0 && ::unlink(lines_.c_str()) != 0 && errno != ENOENT) fail(lines_);
    return given;
}

void SweepStore::add_fields(std::size_t index, Simulation& simulation) {
    if (file_) add_fields(index, planes_of(simulation));
}

void SweepStore::add_fields(std::size_t index, std::span<const Field> planes) {
    for (std::size_t plane = 0; plane < planes.size(); ++plane) write(index, plane, planes[plane]);
    has_field_[index] = true;
}

void SweepStore::add(const Sweep& sweep, std::span<const std::size_t> runs) {
    std::string text;
    for (const std::size_t index : runs) text += line_of(index, sweep.run(index)).dump() + "\n";
    const Descriptor lines(
        ::open(lines_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (!lines || !write_all(lines.number(), bytes_of(text))) fail(lines_);
}

void SweepStore::finish(bool keeps_fields) {
    if (!file_) return;
    for (std::size_t run = 0; run < runs_; ++run)
        for (std::size_t plane = 0; plane < planes_.size() && !has_field_[run]; ++plane)
            write(run, plane, field(run, plane));
    if (!keeps_fields && !known_ && ::unlink(array_.c_str()) != 0) fail(array_);
}

Field SweepStore::field(std::size_t run, std::size_t plane) const {
    Field field = empty_plane();
    field.visit([&]<class T>(Array<T>& cells) {
        const bool read =
            has_field_[run] &&
            ::pread(file_.number(), cells.data(), plane_bytes(), off_t(offset_of(run, plane))) ==
                ssize_t(plane_bytes());
        if (!read) std::ranges::fill(cells.cells(), T(kNoNumber));
    });
    return field;
}

void SweepStore::write(std::size_t run, std::size_t plane, const Field& field) {
    const bool written = field.visit([&](const auto& cells) {
        return write_all(file_.number(), std::as_bytes(cells.cells()), offset_of(run, plane));
    });
    if (!written) fail(array_);
}

std::size_t SweepStore::plane_bytes() const {
    return std::size_t(nx_) * std::size_t(ny_) * bytes_of(dtype_);
}

std::uint64_t SweepStore::offset_of(std::size_t run, std::size_t plane) const {
    return header_.size() + (std::uint64_t(run) * planes_.size() + plane) * plane_bytes();
}

}  // namespace stencil
