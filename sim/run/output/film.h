// Films of runs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/field/field.h"
#include "sim/figure/figure.h"
#include "sim/problem/run_spec.h"
#include "sim/run/advance.h"
#include "sim/run/output/film_request.h"
#include "sim/run/output/video.h"
#include "sim/view/colormap.h"
#include "sim/view/shape_outline.h"

namespace stencil {

inline constexpr double kMostFps = 240;
inline constexpr double kMostFilmSeconds = 3600;
inline constexpr int kLeastFilmSide = 16, kMostFilmSide = 7680;

/// A rule for the range of a film's colours.
struct FilmRange {
    std::string_view name, help;
};
std::span<const FilmRange> film_ranges();

/// Parse the values of --video-range (returned as given) and --video-size. Throw InputError.
std::string read_film_range(const std::string& text);
Size read_film_size(const std::string& text);

/// Checks name and range, and that films can be made here. Throws InputError and MachineError.
void check_film(const FilmRequest& request);

/// The steps that have a frame.
struct FilmPace {
    Interval every = 1;   ///< at each multiple
    long long first = 0;  ///< and at this step; -1: none
    /// If not 0, there are this many frames instead, evenly from step `first` to `last`, or, if `to` is
    /// given, from t = `from` to `to`.
    long long count = 0, last = 0;
    double from = 0, to = 0;
    long long step_of(long long frame) const;  ///< of such a film
    double time_of(long long frame) const;
};

/// Frames of a film of a whole run, from its present step or t to its ending: so many for the seconds asked
/// for, else one every so often; if that is not given, a film of about ten seconds. Throws InputError if
/// nothing says how long the run is.
FilmPace film_pace(const FilmRequest& request,
                   const RunClock& begin,
                   const Ending& end,
                   const Interval& every);

/// Writes the shown formula as video frames in the run's colours. Throws as VideoFile does.
class FilmWriter {
  public:
    /// Throws as check_film() does.
    FilmWriter(FilmRequest request, const FilmPace& pace);

    /// Writes the frames that are due at the present step.
    void look(Simulation& simulation);
    /// Lets the loop of a run do so where frames are due.
    Observer observer();
    /// Whether the film has the length asked for.
    bool full() const { return most_ > 0 && frames_ >= most_; }
    /// Completes the file. Refuses a film without frames.
    void finish();

    const std::filesystem::path& path() const { return request_.file; }
    /// Which encoder stands in for the usual one; empty: none.
    std::string note() const { return video_ ? video_->note() : ""; }
    long long frames() const { return frames_; }

  private:
    /// What the picture of a frame is drawn from, besides the values.
    struct Look {
        const Colormap* colors = nullptr;
        ValueRange range;
        std::string title, formula, label, contours;
        ShapeOutline outline;
        figure::FigureAxes axes;
    };

    long long due(const RunClock& clock) const;
    Due next(const RunClock& clock) const;
    Look look_of(const Field& field, Simulation& simulation);
    std::string title_of(const Simulation& simulation) const;
    void draw(const Field& field, const Look& look);
    void draw_figure(const Field& field, const Look& look);
    void draw_pixels(const Field& field, const Look& look);

    FilmRequest request_;
    FilmPace pace_;
    std::optional<RangeRule> fixed_;  ///< for all frames
    long long frames_ = 0, most_ = 0;
    std::optional<ValueRange> range_;  ///< of the first frame, where that is for all
    std::string shown_;                ///< the formula that it belongs to
    int columns_ = 0, rows_ = 0;       ///< cells of the first frame
    int nx_ = 0, ny_ = 0;              ///< its pixels
    std::vector<Rgb> pixels_;
    std::optional<VideoFile> video_;  ///< opened at the first frame drawn, which gives its size
};

}  // namespace stencil
