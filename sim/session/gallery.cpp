#include "sim/session/gallery.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <optional>

#include "sim/files/folder.h"
#include "sim/files/image.h"
#include "sim/model/equations.h"
#include "sim/run/output/exports.h"
#include "sim/run/resolve.h"
#include "sim/run/simulation.h"
#include "sim/run/start.h"
#include "sim/view/value_range.h"

namespace stencil {
namespace {

constexpr int kLongestSide = 160;  // cells: enough for a pattern
constexpr int kShortestSide = 16;
constexpr double kMostSeconds = 2;  // of one core, however many others want it
constexpr int kSlices = 64;

// Shades from 0 to 255, which a preset's colour table turns into a picture.
struct Shades {
    int nx = 0, ny = 0;
    std::vector<Rgb> grey;
};

// Of this thread.
double processor_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

RunSpec small_spec(const Preset& preset) {
    RunSpec spec;
    spec.use_model(model_of_text(std::string(preset.text), std::string(preset.name)));
    spec.backend = "cpu";
    spec.threads = 1;
    const Size own = spec.size.value_or(Size{kLongestSide, kLongestSide});
    const double share = std::min(1.0, double(kLongestSide) / std::max(own.nx, own.ny));
    const auto side = [&](int n) {
        return std::max(std::min(n, kShortestSide), int(std::lround(share * n)));
    };
    spec.size = Size{side(own.nx), side(own.ny)};
    spec.exports.clear();
    spec.allow_unstable = true;  // the text's own step, which its source has chosen
    return spec;
}

int longest_side(const Preset& preset) {
    RunSpec spec;
    spec.use_model(model_of_text(std::string(preset.text), std::string(preset.name)));
    return spec.size ? std::max(spec.size->nx, spec.size->ny) : kLongestSide;
}

// Empty where it was cut.
Shades run_preset(const Preset& preset, const std::function<bool()>& cut) {
    RunSpec spec = resolve(small_spec(preset), query_machine());
    State start = make_start(spec);
    Simulation simulation(spec, std::move(start));
    const long long own_way = spec.steps * std::max(spec.size->nx, spec.size->ny) / longest_side(preset);
    std::optional<Field>
        underway;  // of what spreads, when it has filled as much as of the preset's own field
    const double end = processor_seconds() + kMostSeconds;
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
    Shades shades{side(wide.nx()), side(wide.ny()), {}};
    const Array<double> tile = resample(wide.as<double>(), shades.nx, shades.ny, Growing::nearest);
    const Field small(tile.clone());
    const ValueRange range = find_range(small, spec.range, field_colors(spec).diverging);
    for (const double value : small.as<double>().cells()) {
        const double place = range.low < range.high ? (value - range.low) / (range.high - range.low) : 0;
        const auto shade =
            std::uint8_t(std::isfinite(place) ? std::lround(255 * std::clamp(place, 0.0, 1.0)) : 0);
        shades.grey.push_back({shade, shade, shade});
    }
    return shades;
}

// Empty where there is no cache.
std::filesystem::path kept_file(const Preset& preset) {
    const auto folder = user_cache_folder();
    if (!folder) return {};
    const std::string key = fmt::format("{} {}", STENCILSCOPE_VERSION, preset.text);
    return *folder / "gallery" / fmt::format("{}-{:016x}.png", preset.name, std::hash<std::string>{}(key));
}

Shades read_shades(const std::filesystem::path& file) {
    const Array<double> image = read_image(file);
    Shades shades{image.nx(), image.ny(), {}};
    if (std::max(shades.nx, shades.ny) > GalleryPicture::kSide) return {};
    for (const double value : image.cells()) {
        const auto shade = std::uint8_t(std::lround(255 * value));
        shades.grey.push_back({shade, shade, shade});
    }
    return shades;
}

Shades find_shades(const Preset& preset, const std::function<bool()>& cut) {
    const std::filesystem::path file = kept_file(preset);
    std::error_code failed;
    if (!file.empty() && std::filesystem::is_regular_file(file, failed)) {
        try {
            return read_shades(file);
        } catch (const std::exception&) {
            // It is made again.
        }
    }
    Shades shades = run_preset(preset, cut);
    if (file.empty() || shades.grey.empty()) return shades;
    try {
        std::filesystem::create_directories(file.parent_path());
        write_png(file, shades.nx, shades.ny, shades.grey);
    } catch (const std::exception&) {
        // It is made again next time.
    }
    return shades;
}

}  // namespace

GalleryPicture make_picture(const Preset& preset, const std::function<bool()>& cut) {
    const auto equations = equation::read_equations(preset.text);
    GalleryPicture picture;
    picture.title = equations.title.empty() ? std::string(preset.name) : equations.title;
    Shades shades = find_shades(preset, cut);
    picture.nx = shades.nx;
    picture.ny = shades.ny;
    picture.pixels = std::move(shades.grey);
    const Colormap& map = colormap(equations.colormap.empty() ? "viridis" : equations.colormap);
    for (Rgb& pixel : picture.pixels) pixel = map.colors[pixel.r];
    return picture;
}

Gallery::Gallery(std::function<void()> on_news)
    : on_news_(std::move(on_news)), pictures_(presets().size()), thread_([this] { run(); }) {}

Gallery::~Gallery() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    thread_.join();
}

Gallery::Pictures Gallery::pictures() const {
    const std::lock_guard lock(mutex_);
    return pictures_;
}

bool Gallery::stopped() const {
    const std::lock_guard lock(mutex_);
    return stop_;
}

void Gallery::run() {
    // Of this thread alone, and of those that it starts.
    setpriority(PRIO_PROCESS, id_t(syscall(SYS_gettid)), 19);
    for (std::size_t i = 0; i < presets().size() && !stopped(); ++i) {
        auto picture = std::make_shared<GalleryPicture>();
        try {
            *picture = make_picture(presets()[i], [this] { return stopped(); });
        } catch (const std::exception&) {
            picture->title =
                std::string(presets()[i].name);  // without a picture it can be chosen all the same
        }
        {
            const std::lock_guard lock(mutex_);
            pictures_[i] = std::move(picture);
        }
        on_news_();
    }
}

}  // namespace stencil
