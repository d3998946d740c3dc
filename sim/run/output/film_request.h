// The choices of a film.
#pragma once

#include <filesystem>
#include <string>

namespace stencil {

struct FilmRequest {
    std::filesystem::path file;  ///< empty: no film
    double fps = 30;             ///< frames per second
    bool figure = false;         ///< with axes, colour bar and title, as figure.png; else one pixel per cell
    std::string range = "canvas";  ///< of the colours: a name of film_ranges() or MIN:MAX
    double seconds = 0;            ///< length; 0: open
    int width = 0, height = 0;     ///< pixels; 0: the picture's own size
    friend bool operator==(const FilmRequest&, const FilmRequest&) = default;
};

}  // namespace stencil
