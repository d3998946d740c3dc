// What the window keeps from one start to the next.
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

/// $XDG_CONFIG_HOME/stencilscope/window.json, or in ~/.config; empty where the environment names neither.
std::optional<std::filesystem::path> preferences_path();

/// What the text holds; anything missing, unknown or broken is as in Preferences{}, and numbers are clamped.
Preferences read_preferences(std::string_view json);
std::string write_preferences(const Preferences& preferences);

/// From and to preferences_path(). Failing is silent: preferences are not worth a message, except of a file
/// that is no JSON, which is set aside: then `trouble` says so.
Preferences load_preferences(std::string* trouble = nullptr);
void save_preferences(const Preferences& preferences);

/// Renames a file that cannot be read to FILE.bad, so that the next one written does not replace it. Returns
/// the message for people: why, and where it is now.
std::string set_aside(const std::filesystem::path& file, const std::string& why);

}  // namespace stencil
