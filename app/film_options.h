// The film's options of `run`.
#pragma once

#include "app/cli.h"
#include "sim/run/output/film.h"

namespace stencil {

/// Fills `film`; without a file there is to be none.
void add_film_options(CLI::App& command, FilmRequest& film);

/// The film that was asked for; empty: none. Throws InputError where only its details were.
std::optional<FilmRequest> film_of(const FilmRequest& film);

}  // namespace stencil
