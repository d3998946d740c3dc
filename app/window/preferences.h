// Preferences of the window, kept between sessions.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/window/ui_state.h"

namespace stencil {

inline constexpr int kMinWindow = 320, kMaxWindow = 16384;          ///< width and height, pixels at scale 1
inline constexpr float kMinFontSize = 10, kMaxFontSize = 32;        ///< pixels at scale 1
inline constexpr float kMinPanelWidth = 280, kMaxPanelWidth = 900;  ///< pixels at scale 1

/// Returns $XDG_CONFIG_HOME/stencilscope/window.json, or the file in ~/.config; empty if neither variable is
/// set.
std::optional<std::filesystem::path> preferences_path();

/// Parses the text; missing, unknown or invalid values are as in Preferences{}, and numbers are clamped.
Preferences read_preferences(std::string_view json);
std::string write_preferences(const Preferences& preferences);

/// Load from and save to preferences_path(). Failures are silent, except that a file that is no JSON is set
/// aside and `trouble` says so.
Preferences load_preferences(std::string* trouble = nullptr);
void save_preferences(const Preferences& preferences);

/// Renames an invalid file to FILE.bad, so that it is not overwritten. Returns a message for the user: why,
/// and its new name.
std::string set_aside(const std::filesystem::path& file, const std::string& why);

}  // namespace stencil
