// The film's options of `run`.
#pragma once

#include <optional>
#include <string>

#include "app/cli.h"
#include "sim/run/output/film.h"

namespace stencil {

/// Frames a second. Throws InputError.
double parse_fps(const std::string& text);

/// Fills `film`; without a file there is to be none.
void add_film_options(CLI::App& command, FilmRequest& film);

/// The film that was asked for; empty: none. Throws InputError where only its details were.
std::optional<FilmRequest> film_of(const FilmRequest& film);

}  // namespace stencil
