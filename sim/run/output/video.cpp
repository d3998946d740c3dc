#include "sim/run/output/video.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "sim/files/atomic_file.h"
#include "sim/machine/child_process.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/quote.h"
#include "sim/text/shell_words.h"

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

struct Encoder {
    std::string_view name;
    std::vector<std::string> options;
};

struct Format {
    std::string_view name;  ///< file ending; ffmpeg's format name without the dot
    const char* filter;
    std::vector<Encoder> encoders;  ///< the first that ffmpeg lists; none: ffmpeg's own
    std::vector<std::string> options;
};

const std::array<Format, 3>& formats() {
    static const std::vector<std::string> colors{
        "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"};
    static const std::array<Format, 3> table{{
        {".mp4",
         kPlayable,
         {{"libx264", {"-crf", "16", "-movflags", "+faststart"}},
          {"libopenh264", {"-b:v", "20M", "-movflags", "+faststart"}},
          {"mpeg4", {"-q:v", "2", "-movflags", "+faststart"}}},
         colors},
        {".webm",
         kPlayable,
         {{"libvpx-vp9", {"-b:v", "0", "-crf", "22", "-cpu-used", "4", "-row-mt", "1"}},
          {"libsvtav1", {"-crf", "22"}},
          {"libaom-av1", {"-crf", "22", "-cpu-used", "6"}},
          {"libvpx", {"-b:v", "20M", "-crf", "8"}}},
         colors},
        {".gif", kPalettes, {}, {}},
    }};
    return table;
}

// The first of a format's encoders, or another one if ffmpeg lists only that.
const Encoder* encoder_of(const Format& format) {
    if (format.encoders.empty()) return nullptr;
    std::vector<std::string> listed;
    ChildCommand ask;
    // What follows the question is read by no ffmpeg.
    ask.words = {find_program(kProgram), "-hide_banner", "-nostdin", "-encoders", "-f", "null", "/dev/null"};
    ask.is_tool = true;
    try {
        run_child(ask, [&](std::string_view line) {  // " V....D libx264   ..."
            const std::size_t begin = std::min(line.find_first_not_of(' ', 8), line.size());
            listed.emplace_back(line.substr(begin, line.find(' ', begin) - begin));
        });
    } catch (const MachineError&) {  // starting it for the film says why
    }
    const auto found =
        std::ranges::find_if(format.encoders, [&](const Encoder& e) { return contains(listed, e.name); });
    return found == format.encoders.end() ? &format.encoders.front() : &*found;
}

const Format& format_of(const std::filesystem::path& file) {
    for (const Format& format : formats())
        if (file.extension() == format.name) return format;
    throw InputError("{}: a film ends in .mp4, .webm or .gif", printable(file.string()));
}

std::vector<std::string> command(const std::string& program,
                                 const VideoInput& input,
                                 const Format& format,
                                 const Encoder* encoder,
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
        const int times = input.width > 0 ? 1 : video_enlargement(input.nx, input.ny);
        if (times > 1) filter = fmt::format("scale=iw*{0}:ih*{0}:flags=neighbor,{1}", times, filter);
    }
    if (input.width > 0)
        filter = fmt::format(
            "scale={0}:{1}:force_original_aspect_ratio=decrease:flags={2},"
            "pad={0}:{1}:(ow-iw)/2:(oh-ih)/2:color=white,{3}",
            input.width,
            input.height,
            input.nx == 0 ? "lanczos" : "neighbor",
            filter);
    add({"-framerate", fmt::format("{}", input.fps), "-i", "pipe:0", "-vf", filter});
    if (encoder) add({"-c:v", std::string(encoder->name)});
    if (encoder) words.insert(words.end(), encoder->options.begin(), encoder->options.end());
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
        // A sandboxed ffmpeg opens no /proc/PID/fd.
        : file(path, AtomicFile::Temporary::named, Links::followed),
          encoder(encoder_of(format)),
          child(command(find_program(kProgram), input, format, encoder, file.open_name())) {}

    AtomicFile file;
    const Encoder* encoder;
    PipedChild child;
};

void check_video_name(const std::filesystem::path& file) {
    format_of(file);
}

std::string why_no_video() {
    return find_program(kProgram).empty() ? "there is no ffmpeg here, which makes films" : "";
}

int video_enlargement(int nx, int ny) {
    const int side = std::max(nx, ny);
    const int times = (kLeastSide + side - 1) / side;
    if (times <= 1) return 1;
    return nx % 2 == 0 && ny % 2 == 0 ? times : (times + 1) / 2 * 2;
}

std::string film_command(const std::filesystem::path& pictures, double fps) {
    return fmt::format("ffmpeg -framerate {} -pattern_type glob -i {} -vf '{}' film.mp4",
                       fps,
                       quoted_for_shell(pictures.string()),
                       kPlayable);
}

VideoFile::VideoFile(const std::filesystem::path& file, const VideoInput& input) : path_(file) {
    const Format& format = format_of(file);
    if (const std::string why = why_no_video(); !why.empty()) fail(why);
    state_ = std::make_unique<State>(file, input, format);
}

VideoFile::~VideoFile() = default;

std::string VideoFile::note() const {
    const auto& encoders = format_of(path_).encoders;
    const Encoder* const own = state_->encoder;
    if (!own || own == &encoders.front()) return "";
    return fmt::format("ffmpeg has no {}: the film is encoded by {}", encoders.front().name, own->name);
}

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
    std::string said = without_address(state_->child.said());
    if (const std::size_t at = said.find(state_->file.open_name()); at != said.npos)
        said.replace(at, state_->file.open_name().size(), path_.string());
    fail(said.empty() ? fmt::format("ffmpeg ended with {}", end.code) : "ffmpeg: " + said);
}

void VideoFile::fail(const std::string& why) const {
    throw MachineError("cannot write {}: {}", path_.string(), why);
}

}  // namespace stencil
