// The options of `run` about films.
#pragma once

#include <optional>
#include <string>

#include "app/cli.h"
#include "sim/run/output/film.h"

namespace stencil {

/// Parses a number of frames per second. Throws InputError.
double parse_fps(const std::string& text);

/// Adds options that fill `film`; no film is made if its file stays empty.
void add_film_options(CLI::App& command, FilmRequest& film);

/// Returns the film to make, if its file was given. Throws InputError if only its details were given.
std::optional<FilmRequest> film_of(const FilmRequest& film);

}  // namespace stencil
