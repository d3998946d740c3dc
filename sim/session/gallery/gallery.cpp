#include "sim/session/gallery/gallery.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <optional>

#include "sim/field/field_hash.h"
#include "sim/files/folder.h"
#include "sim/files/image.h"
#include "sim/initial/initial.h"
#include "sim/model/equations.h"
#include "sim/model/model.h"
#include "sim/problem/ready_runs.h"
#include "sim/problem/start.h"
#include "sim/run/output/exports.h"
#include "sim/run/resolve.h"
#include "sim/run/simulation.h"
#include "sim/session/gallery/thumbnail.h"
#include "sim/text/embedded.h"
#include "sim/text/names.h"
#include "sim/view/value_range.h"

namespace stencil {
namespace {

constexpr int kLongestSide = 160;  // cells: enough to show a pattern
constexpr int kShortestSide = 16;
constexpr int kSlices = 64;

// Returns the processor time of this thread.
double processor_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

// The run that makes a picture, and its description.
struct Subject {
    std::string title, about, text;  ///< `text` determines the picture: the key of the cache
    RunSpec spec;                    ///< at its full size
    bool spreads_evenly = false;     ///< built-in diffusion: smaller fields need fewer steps
};

Subject subject_of(const InitialCondition& condition) {
    Subject subject{
        std::string(condition.name), std::string(condition.help), std::string(condition.sample), {}};
    subject.spec.initial = subject.text;
    subject.spec.size = Size{GalleryPicture::kSide, GalleryPicture::kSide};
    subject.spec.steps = 0;
    return subject;
}

Subject subject_of(const ReadyRun& run) {
    auto record = to_json(run.spec);
    record.erase("version");  // pictures stay those of the run when the program gets another version
    Subject subject{run.title, run.about, record.dump(), run.spec};
    subject.spreads_evenly = !run.spec.is_general();
    return subject;
}

Subject subject_of(const Preset& preset) {
    Subject subject{std::string(preset.name), "", std::string(preset.text), {}};
    subject.spec.use_model(model_of_text(subject.text, subject.title));
    const equation::Equations& equations = *subject.spec.model->equations;
    if (!equations.title.empty()) subject.title = equations.title;
    subject.about = equations.about;
    return subject;
}

Subject subject_of(const GalleryRow& row) {
    if (row.kind == GalleryRow::Kind::run) return subject_of(*find_ready_run(row.name));
    if (row.kind == GalleryRow::Kind::model) return subject_of(*find_preset(row.name));
    return subject_of(row_named(initial_conditions(), "initial condition", row.name));
}

int longest_side(const RunSpec& spec) {
    return spec.size ? std::max(spec.size->nx, spec.size->ny) : kLongestSide;
}

RunSpec small_spec(const Subject& subject) {
    RunSpec spec = subject.spec;
    spec.backend = "cpu";
    spec.threads = 1;
    const Size own = spec.size.value_or(Size{kLongestSide, kLongestSide});
    const double share = std::min(1.0, double(kLongestSide) / longest_side(spec));
    const auto side = [&](int n) {
        return std::max(std::min(n, kShortestSide), int(std::lround(share * n)));
    };
    spec.size = Size{side(own.nx), side(own.ny)};
    if (subject.spreads_evenly) spec.steps = std::llround(share * share * double(spec.steps));
    spec.exports.clear();
    spec.allow_unstable = true;  // the text's author has chosen the time step
    return spec;
}

// Returns grey levels, which a colour map turns into a picture; none if it was cut.
GalleryPicture run_subject(const Subject& subject, const std::function<bool()>& cut, double seconds) {
    RunSpec spec = resolve(small_spec(subject), query_machine());
    State start = make_start(spec);
    Simulation simulation(spec, std::move(start));
    const long long own_way =
        spec.steps * std::max(spec.size->nx, spec.size->ny) / longest_side(subject.spec);
    std::optional<Field> underway;  // picture of a pattern that spreads, taken when it covers the share of
                                    // the field that it would in full size
    const double end = processor_seconds() + seconds;
    while (simulation.step() < spec.steps && processor_seconds() < end) {
        if (cut()) return {};
        const long long slice = std::max(1LL, spec.steps / kSlices);
        simulation.apply(Advance{std::min(slice, spec.steps - simulation.step())});
        if (!underway && simulation.step() >= own_way) underway = simulation.field();
    }
    Field seen = simulation.field();
    const auto contrast = [](const Field& field) {
        const Statistics statistics = statistics_of(field);
        return statistics.max - statistics.min;
    };
    constexpr double kFlat = 0.01;
    if (underway && contrast(seen) < kFlat * contrast(*underway)) seen = std::move(*underway);
    const Field wide = seen.to(DType::float64);
    const double share = double(GalleryPicture::kSide) / std::max(wide.nx(), wide.ny());
    const auto side = [&](int n) { return std::max(1, int(std::lround(share * n))); };
    GalleryPicture shades{.nx = side(wide.nx()), .ny = side(wide.ny())};
    const Field small(resample(wide.as<double>(), shades.nx, shades.ny, Growing::nearest));
    const ValueRange range =
        find_range(small, spec.coloring(spec.shown()).range, field_colors(spec).diverging);
    for (const double value : small.as<double>().cells()) {
        const double place = place_of(value, range);
        const auto shade =
            std::uint8_t(std::isfinite(place) ? std::lround(255 * std::clamp(place, 0.0, 1.0)) : 0);
        shades.pixels.push_back({shade, shade, shade});
    }
    return shades;
}

// Names the picture of a text.
std::string key_of(std::string_view name, std::string_view text) {
    return fmt::format("{}-{:016x}", name, xxh64(std::as_bytes(std::span(text))));
}

// Returns the cached file's path; empty if there is no cache folder.
std::filesystem::path kept_file(std::string_view name, const Subject& subject) {
    const auto folder = user_cache_folder();
    if (!folder) return {};
    const std::string text = fmt::format("{} {}", STENCILSCOPE_VERSION, subject.text);
    return *folder / "gallery" / (key_of(name, text) + ".png");
}

// Returns the picture that is part of the program; empty if there is none of this text.
GalleryPicture shipped_shades(std::string_view name, const Subject& subject) {
    const auto files = embedded_gallery();
    const auto found = std::ranges::find(files, key_of(name, subject.text), &EmbeddedFile::name);
    return found == files.end() ? GalleryPicture() : picture_of_png(found->text);
}

GalleryPicture read_shades(const std::filesystem::path& file) {
    const Array<double> image = read_image(file);
    GalleryPicture shades{.nx = image.nx(), .ny = image.ny()};
    if (std::max(shades.nx, shades.ny) > GalleryPicture::kSide) return {};
    for (const double value : image.cells()) {
        const auto shade = std::uint8_t(std::lround(255 * value));
        shades.pixels.push_back({shade, shade, shade});
    }
    return shades;
}

GalleryPicture find_shades(std::string_view name,
                           const Subject& subject,
                           const std::function<bool()>& cut,
                           const PictureSource& source) {
    GalleryPicture shipped = source.shipped ? shipped_shades(name, subject) : GalleryPicture();
    if (!shipped.pixels.empty()) return shipped;
    const std::filesystem::path file = kept_file(name, subject);
    std::error_code failed;
    if (!file.empty() && std::filesystem::is_regular_file(file, failed)) {
        try {
            return read_shades(file);
        } catch (const std::exception&) {
            // An unreadable file is made again.
        }
    }
    GalleryPicture shades = run_subject(subject, cut, source.seconds);
    if (file.empty() || shades.pixels.empty()) return shades;
    try {
        std::filesystem::create_directories(file.parent_path());
        write_png(file, shades.nx, shades.ny, shades.pixels);
    } catch (const std::exception&) {
        // Without a file it is made again next time.
    }
    return shades;
}

// Returns title and description without pixels.
GalleryPicture titled(const GalleryRow& row) {
    try {
        const Subject subject = subject_of(row);
        return {subject.title, subject.about};
    } catch (const std::exception&) {
        return {std::string(row.name), ""};
    }
}

}  // namespace

std::span<const GalleryRow> gallery_rows() {
    static const std::vector<GalleryRow> rows = [] {
        std::vector<GalleryRow> all;
        for (const InitialCondition& row : initial_conditions())
            all.push_back({GalleryRow::Kind::initial, row.name});
        for (const ReadyRun& row : ready_runs()) all.push_back({GalleryRow::Kind::run, row.name});
        for (const Preset& row : presets()) all.push_back({GalleryRow::Kind::model, row.name});
        return all;
    }();
    return rows;
}

std::string shipped_name(const GalleryRow& row) {
    return key_of(row.name, subject_of(row).text);
}

GalleryPicture make_picture(const GalleryRow& row,
                            const std::function<bool()>& cut,
                            const PictureSource& source) {
    const Subject subject = subject_of(row);
    GalleryPicture picture = find_shades(row.name, subject, cut, source);
    picture.title = subject.title;
    picture.about = subject.about;
    const Colormap& map = field_colors(subject.spec);
    for (Rgb& pixel : picture.pixels) pixel = map.colors[pixel.r];
    return picture;
}

Gallery::Gallery(std::function<void()> on_news)
    : on_news_(std::move(on_news)), pictures_(gallery_rows().size()), thread_([this] { run(); }) {}

Gallery::~Gallery() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    wanted_more_.notify_one();
    thread_.join();
}

void Gallery::want(std::size_t count) {
    {
        const std::lock_guard lock(mutex_);
        if (count <= wanted_) return;
        wanted_ = count;
    }
    wanted_more_.notify_one();
}

// Returns false when the gallery should end.
bool Gallery::wait_for(std::size_t picture) {
    std::unique_lock lock(mutex_);
    wanted_more_.wait(lock, [&] { return stop_ || picture < wanted_; });
    return !stop_;
}

Gallery::Pictures Gallery::pictures() const {
    const std::lock_guard lock(mutex_);
    return pictures_;
}

bool Gallery::stopped() const {
    const std::lock_guard lock(mutex_);
    return stop_;
}

void Gallery::put(std::size_t row, GalleryPicture picture) {
    {
        const std::lock_guard lock(mutex_);
        pictures_[row] = std::make_shared<const GalleryPicture>(std::move(picture));
    }
    on_news_();
}

void Gallery::run() {
    // Lowest priority, for this thread and those that it starts.
    setpriority(PRIO_PROCESS, id_t(syscall(SYS_gettid)), 19);
    const auto rows = gallery_rows();
    if (!wait_for(0)) return;
    for (std::size_t i = 0; i < rows.size() && !stopped(); ++i) put(i, titled(rows[i]));
    for (std::size_t i = 0; i < rows.size() && wait_for(i); ++i) {
        try {
            put(i, make_picture(rows[i], [this] { return stopped(); }));
        } catch (const std::exception&) {
            // It can be chosen without a picture.
        }
    }
}

}  // namespace stencil
