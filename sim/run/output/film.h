// Films of runs.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/field/field.h"
#include "sim/files/atomic_file.h"
#include "sim/problem/run_spec.h"
#include "sim/run/output/film_request.h"
#include "sim/run/output/video.h"
#include "sim/view/colormap.h"
#include "sim/view/shape_outline.h"

namespace stencil {

class Simulation;
struct WriteProgress;

inline constexpr double kMostFps = 240;
inline constexpr double kMostFilmSeconds = 3600;
inline constexpr int kLeastFilmSide = 16, kMostFilmSide = 7680;

/// A rule for the range of a film's colours.
struct FilmRange {
    std::string_view name, help;
};
std::span<const FilmRange> film_ranges();

/// Parse the values of --video-range (returned as given), --video-size and --video-title. Throw InputError.
std::string read_film_range(const std::string& text);
Size read_film_size(const std::string& text);
std::vector<std::string> read_film_title(const std::string& text);

/// Checks what needs the run's model, and that films can be made here. Throws InputError and MachineError.
void check_film(const FilmRequest& request, const RunSpec& spec);

/// The steps that have a frame.
struct FilmPace {
    long long every = 1;  ///< at each multiple
    long long first = 0;  ///< and at this step; -1: none
    /// If not 0, there are this many frames instead, evenly from `first` to `last`.
    long long count = 0, last = 0;
    long long step_of(long long frame) const;  ///< of such a film
};

/// Frames of a film of a whole run: so many for the seconds asked for, else one every so many steps, where 0
/// gives a film of about ten seconds.
FilmPace film_pace(const FilmRequest& request, long long first, long long last, long long every);

/// Writes the shown formula as video frames in the run's colours. If the range is that of the whole film, the
/// frames' values are kept in a file without a name beside it until finish(). Throws as VideoFile does.
class FilmWriter {
  public:
    /// Throws as check_film() does.
    FilmWriter(FilmRequest request, const RunSpec& spec, const FilmPace& pace);

    /// Steps from here to the next frame, at least 1; kMaxSteps if no more are due.
    long long steps_left(long long step) const;
    /// Writes the frames that are due at the present step.
    void look(Simulation& simulation);
    /// Whether the film has the length asked for.
    bool full() const { return most_ > 0 && frames_ >= most_; }
    /// Number of frames that finish() still has to draw.
    std::size_t kept() const { return kept_.size(); }
    /// Completes the file. Refuses a film without frames. A cancelled one is left away; returns whether it is
    /// there.
    bool finish(WriteProgress* progress = nullptr);

    const std::filesystem::path& path() const { return request_.file; }
    long long frames() const { return frames_; }

  private:
    /// Holds everything besides the values that the picture of a frame is drawn from.
    struct Look {
        const Colormap* colors = nullptr;
        ValueRange range;
        std::string title, formula, label, contours, unit;
        ShapeOutline outline;
        double cell = 1;
        DType dtype = DType::float32;
        int nx = 0, ny = 0;
        bool repeated = false;  ///< the values are those of the frame before
    };

    long long due(long long step) const;
    Look look_of(const Field& field, Simulation& simulation);
    std::string title_of(const Simulation& simulation) const;
    void keep(const Field& field, Look look);
    void draw(const Field& field, const Look& look);
    void draw_figure(const Field& field, const Look& look);
    void draw_pixels(const Field& field, const Look& look);

    FilmRequest request_;
    FilmPace pace_;
    std::optional<RangeRule> fixed_;  ///< for all frames
    bool whole_ = false;              ///< the range is that of the whole film
    long long frames_ = 0, most_ = 0;
    std::optional<ValueRange> range_;  ///< of the first frame, where that is for all
    std::string shown_;                ///< the formula that it belongs to
    int columns_ = 0, rows_ = 0;       ///< cells of the first frame
    int nx_ = 0, ny_ = 0;              ///< its pixels
    std::vector<Rgb> pixels_;
    std::optional<VideoFile> video_;      ///< opened at the first frame drawn, which gives its size
    std::unique_ptr<AtomicFile> values_;  ///< of the frames kept
    std::vector<Look> kept_;
    std::map<std::string, ValueRange> ranges_;  ///< of all frames kept, by formula
};

}  // namespace stencil
