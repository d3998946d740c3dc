// Preferences of the window, kept between sessions.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/window/ui_state.h"

namespace stencil {

/// Returns window.json in $XDG_CONFIG_HOME/stencilscope, by default below ~/.config; empty without a home.
std::optional<std::filesystem::path> preferences_path();

/// Parses the text; missing, unknown or invalid values are as in Preferences{}, and numbers are clamped.
Preferences read_preferences(std::string_view json);
std::string write_preferences(const Preferences& preferences);

/// Load from and save to preferences_path(). Failures are silent, except that a file that is no JSON is set
/// aside and `trouble` says so.
Preferences load_preferences(std::string* trouble = nullptr);
void save_preferences(const Preferences& preferences);

/// Writes a file and missing folders; nothing without a path. Returns why it could not; empty: it could.
std::string keep_file(const std::optional<std::filesystem::path>& file, const std::string& text);

/// Renames an invalid file to FILE.bad, to keep it. Returns a message: why, and the new name.
std::string set_aside(const std::filesystem::path& file, const std::string& why);

/// How many recent files and folders are remembered.
inline constexpr std::size_t kRecent = 10;
/// Moves a file or folder to the front of the recent ones.
void remember_path(Preferences& preferences, const std::string& path);

}  // namespace stencil
