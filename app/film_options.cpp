#include "app/film_options.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil {

double parse_fps(const std::string& text) {
    const double fps = parse_real(text, "--fps");
    if (fps <= 0 || fps > kMostFps)
        throw InputError(fmt::format("--fps {}: must be above 0 and at most {}", quotable(text), kMostFps));
    return fps;
}

void add_film_options(CLI::App& command, FilmRequest& film) {
    add_text(
        command,
        "video",
        "FILE",
        "a film, .mp4, .webm or .gif, by ffmpeg where it is installed: a frame every --every steps, or 300 "
        "in all",
        [&film](const std::string& text) {
            check_video_name(text);
            film.file = text;
        });
    add_text(
        command, "fps", "N", "frames a second of the film (default 30)", [&film](const std::string& text) {
            film.fps = parse_fps(text);
        });
    add_text(command,
             "video-of",
             "field|figure",
             "a pixel a cell and no more (default), or with axes, colour bar and step",
             [&film](const std::string& text) {
                 const std::vector<std::string> known{"field", "figure"};
                 if (!contains(known, text))
                     throw InputError("--video-of: " + unknown_name_message("film", text, known));
                 film.figure = text == "figure";
             });
}

std::optional<FilmRequest> film_of(const FilmRequest& film) {
    if (!film.file.empty()) return film;
    if (film.figure || film.fps != FilmRequest().fps)
        throw InputError("--fps and --video-of need --video FILE, the film");
    return std::nullopt;
}

}  // namespace stencil
