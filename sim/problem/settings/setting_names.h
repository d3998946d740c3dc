// The names of settings, for code that uses one: a misspelt name does not compile.
#pragma once

namespace stencil::setting_name {

inline constexpr const char* size = "size";
inline constexpr const char* steps = "steps";
inline constexpr const char* time = "time";
inline constexpr const char* until = "until";
inline constexpr const char* model = "model";
inline constexpr const char* equation = "equation";
inline constexpr const char* sensitivity = "sensitivity";
inline constexpr const char* set = "set";
inline constexpr const char* coefficient = "coefficient";
inline constexpr const char* dt = "dt";
inline constexpr const char* tolerance = "tolerance";
inline constexpr const char* dx = "dx";
inline constexpr const char* integrator = "integrator";
inline constexpr const char* global_every = "global-every";
inline constexpr const char* boundary = "boundary";
inline constexpr const char* initial = "initial";
inline constexpr const char* seed = "seed";
inline constexpr const char* dtype = "dtype";
inline constexpr const char* allow_unstable = "allow-unstable";
inline constexpr const char* allow_overflow = "allow-overflow";
inline constexpr const char* method = "method";
inline constexpr const char* fast = "fast";
inline constexpr const char* backend = "backend";
inline constexpr const char* threads = "threads";
inline constexpr const char* memory_limit = "memory-limit";
inline constexpr const char* at = "at";
inline constexpr const char* probe = "probe";
inline constexpr const char* profile = "profile";
inline constexpr const char* bookmark = "bookmark";
inline constexpr const char* every = "every";
inline constexpr const char* checkpoint = "checkpoint";
inline constexpr const char* exports = "export";
inline constexpr const char* show = "show";
inline constexpr const char* colormap = "colormap";
inline constexpr const char* range = "range";
inline constexpr const char* colors = "colors";
inline constexpr const char* range_per_frame = "range-per-frame";
inline constexpr const char* laplacian_colormap = "laplacian-colormap";
inline constexpr const char* laplacian_range = "laplacian-range";
inline constexpr const char* unit_length = "unit-length";
inline constexpr const char* unit_time = "unit-time";
inline constexpr const char* unit_value = "unit-value";
inline constexpr const char* contours = "contours";
inline constexpr const char* arrows = "arrows";
inline constexpr const char* outline = "outline";
inline constexpr const char* surface = "surface";
inline constexpr const char* view = "view";
inline constexpr const char* figure_size = "figure-size";
inline constexpr const char* wave_ring = "wave-ring";

}  // namespace stencil::setting_name
