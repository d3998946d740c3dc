#include "sim/run/output/film.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "sim/figure/figure.h"
#include "sim/files/atomic_file.h"
#include "sim/files/image.h"
#include "sim/machine/child_process.h"
#include "sim/run/output/exports.h"
#include "sim/run/simulation.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/quote.h"
#include "sim/text/shell_words.h"
#include "sim/view/contours.h"

namespace stencil {
namespace {

constexpr const char* kProgram = "ffmpeg";
// Smaller films are enlarged at least to this, so that a player's smoothing does not blur cells.
constexpr int kLeastSide = 480;
// Time after which a frame counts as stuck.
constexpr double kLimitSeconds = 120;

// Players expect 4:2:0 chroma, hence an even number of pixels, and the colours of ITU-R BT.709.
constexpr const char* kPlayable =
    "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p";
// One palette per frame; a common one would have to keep all frames first.
constexpr const char* kPalettes =
    "split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1:dither=none";

struct Format {
    std::string_view name;  ///< file ending; ffmpeg's format name without the dot
    const char* filter;
    std::vector<std::string> options;
};

const std::array<Format, 3>& formats() {
    static const std::vector<std::string> colors{
        "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"};
    static const auto with_colors = [](std::vector<std::string> options) {
        options.insert(options.end(), colors.begin(), colors.end());
        return options;
    };
    static const std::array<Format, 3> table{{
        {".mp4", kPlayable, with_colors({"-c:v", "libx264", "-crf", "16", "-movflags", "+faststart"})},
        {".webm",
         kPlayable,
         with_colors({"-c:v", "libvpx-vp9", "-b:v", "0", "-crf", "22", "-cpu-used", "4", "-row-mt", "1"})},
        {".gif", kPalettes, {}},
    }};
    return table;
}

const Format& format_of(const std::filesystem::path& file) {
    for (const Format& format : formats())
        if (file.extension() == format.name) return format;
    throw InputError(fmt::format("{}: a film ends in .mp4, .webm or .gif", printable(file.string())));
}

std::vector<std::string> command(const std::string& program,
                                 const VideoInput& input,
                                 const Format& format,
                                 const std::string& output) {
    std::vector<std::string> words{
        program, "-hide_banner", "-nostdin", "-loglevel", "error", "-xerror", "-y"};
    const auto add = [&](std::initializer_list<std::string> more) {
        words.insert(words.end(), more.begin(), more.end());
    };
    std::string filter = format.filter;
    if (input.nx == 0) {
        add({"-f", "image2pipe", "-c:v", "png"});
    } else {
        add({"-f", "rawvideo", "-pixel_format", "rgb24"});
        add({"-video_size", fmt::format("{}x{}", input.nx, input.ny)});
        const int times =
            std::max(1, (kLeastSide + std::max(input.nx, input.ny) - 1) / std::max(input.nx, input.ny));
        if (times > 1) filter = fmt::format("scale=iw*{0}:ih*{0}:flags=neighbor,{1}", times, filter);
    }
    add({"-framerate", fmt::format("{}", input.fps), "-i", "pipe:0", "-vf", filter});
    words.insert(words.end(), format.options.begin(), format.options.end());
    add({"-f", std::string(format.name.substr(1)), output});
    return words;
}

// Removes the object address with which ffmpeg's lines begin.
std::string without_address(std::string line) {
    const std::size_t end = line.find("] ");
    return line.starts_with('[') && end != std::string::npos ? line.substr(end + 2) : line;
}

}  // namespace

struct VideoFile::State {
    State(const std::filesystem::path& path, const VideoInput& input, const Format& format)
        : file(path), child(command(find_program(kProgram), input, format, file.open_name())) {}

    AtomicFile file;
    PipedChild child;
};

void check_video_name(const std::filesystem::path& file) {
    format_of(file);
}

std::string why_no_video() {
    return find_program(kProgram).empty() ? "there is no ffmpeg here, which makes films" : "";
}

std::string film_command(const std::filesystem::path& folder, double fps) {
    const std::string pictures = quoted_for_shell((folder / "*.png").string());
    return fmt::format(
        "ffmpeg -framerate {} -pattern_type glob -i {} -vf '{}' film.mp4", fps, pictures, kPlayable);
}

VideoFile::VideoFile(const std::filesystem::path& file, const VideoInput& input) : path_(file) {
    const Format& format = format_of(file);
    if (const std::string why = why_no_video(); !why.empty()) fail(why);
    state_ = std::make_unique<State>(file, input, format);
}

VideoFile::~VideoFile() = default;

void VideoFile::add(std::span<const std::byte> frame) {
    if (!state_->child.write(frame, kLimitSeconds)) end();
    ++frames_;
}

void VideoFile::finish() {
    if (frames_ == 0) fail("it would have no frame");
    end();
    state_->file.commit();
}

// Throws unless ffmpeg succeeded.
void VideoFile::end() {
    const ChildEnd end = state_->child.finish(kLimitSeconds);
    if (end.how == ChildEnd::How::over_limit)
        fail(fmt::format("ffmpeg took nothing for {} s", kLimitSeconds));
    if (end.how == ChildEnd::How::signalled) fail(fmt::format("ffmpeg was ended by signal {}", end.code));
    if (end.code == 0) return;
    const std::string said = without_address(state_->child.said());
    fail(said.empty() ? fmt::format("ffmpeg ended with {}", end.code) : "ffmpeg: " + said);
}

void VideoFile::fail(const std::string& why) const {
    throw MachineError(fmt::format("cannot write {}: {}", path_.string(), why));
}

long long film_steps(long long steps) {
    constexpr long long kFrames = 300;
    return std::max(1LL, steps / kFrames);
}

// Checks everything that could fail later before any work is done.
FilmWriter::FilmWriter(FilmRequest request, const RunSpec& spec)
    : request_(std::move(request)), own_ranges_(spec.range_per_frame) {
    check_video_name(request_.file);
    if (const std::string why = why_no_video(); !why.empty())
        throw MachineError(fmt::format("cannot write {}: {}", request_.file.string(), why));
}

void FilmWriter::write(Simulation& simulation) {
    const RunSpec& now = simulation.now();
    const Field field = simulation.field();
    if (!range_ || own_ranges_ || shown_ != now.shown())
        range_ = find_range(field, now.range, field_colors(now).diverging);
    shown_ = now.shown();
    if (request_.figure)
        add_figure(field, simulation);
    else
        add_pixels(field, now);
}

void FilmWriter::add_figure(const Field& field, const Simulation& simulation) {
    if (!video_) video_.emplace(request_.file, VideoInput{0, 0, request_.fps});
    const RunSpec& now = simulation.now();
    // Arrows at the colour bar's ends tell of values beyond the range of an earlier frame.
    const RangeRule same{RangeRule::Kind::fixed, range_->low, range_->high, range_->scale};
    const ValueRange range = find_range(field, same, field_colors(now).diverging);
    std::string title = fmt::format("Step {}", simulation.step());
    if (const std::string time = time_text(simulation.spec(), simulation.step()); !time.empty())
        title += fmt::format(", t = {}", time);
    figure::FigurePanel panel{std::move(title), &field, &field_colors(now), range, now.shown()};
    panel.contours = contour_levels(now.contours, *range_);
    const std::string png = figure::figure_bytes(figure::FigureFormat::png, {&panel, 1}, "");
    video_->add(std::as_bytes(std::span(png)));
}

void FilmWriter::add_pixels(const Field& field, const RunSpec& now) {
    if (!video_) {
        nx_ = field.nx();
        ny_ = field.ny();
        video_.emplace(request_.file, VideoInput{nx_, ny_, request_.fps});
        pixels_.resize(std::size_t(nx_) * std::size_t(ny_));
    }
    if (field.nx() == nx_ && field.ny() == ny_) {
        paint(field, field_colors(now), *range_, pixels_);
    } else {  // the run changed size, the film cannot
        const Field wide = field.to(DType::float64);
        const Field fitted(resample(wide.as<double>(), nx_, ny_, Growing::nearest));
        paint(fitted, field_colors(now), *range_, pixels_);
    }
    video_->add(std::as_bytes(std::span(pixels_)));
}

}  // namespace stencil
