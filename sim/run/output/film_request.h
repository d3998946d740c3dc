// The choices of a film.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stencil {

struct FilmRequest {
    std::filesystem::path file;  ///< empty: no film
    double fps = 30;             ///< frames per second
    bool figure = false;         ///< with axes, colour bar and title, as figure.png; else one pixel per cell
    /// Range of the colours: a name of kFilmRanges or MIN:MAX; empty: `canvas` for a run with
    /// range_per_frame, else `film`.
    std::string range = {};
    double seconds = 0;                              ///< length; 0: open
    int width = 0, height = 0;                       ///< pixels; 0: the picture's own size
    std::vector<std::string> title = {"step", "t"};  ///< step, t, parameters, or names of parameters
    friend bool operator==(const FilmRequest&, const FilmRequest&) = default;
};

}  // namespace stencil
