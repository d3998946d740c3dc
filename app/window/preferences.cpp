#include "app/window/preferences.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <type_traits>

#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/files/input_file.h"
#include "sim/import/model_file.h"
#include "sim/text/error.h"
#include "sim/text/json.h"

namespace stencil {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxSections = 64;
constexpr std::array<std::string_view, 2> kThemes{"dark", "light"};                         // by Theme
constexpr std::array<std::string_view, 4> kShapes{"round", "square", "rectangle", "fill"};  // by BrushShape

// Reads valid values from an object, and leaves all others unchanged.
struct PreferencesReader {
    const Json& json;

    PreferencesReader part(const char* name) const {
        static const Json none;
        const auto found = json.find(name);
        return {found == json.end() ? none : *found};
    }
    template <class T>
    void operator()(const char* name, T& value) const {
        const auto found = json.find(name);
        if (found == json.end() || (found->is_array() && found->size() > kMaxSections)) return;
        try {
            value = found->get<T>();
        } catch (const Json::type_error&) {
            // The value has another type.
        }
    }
    template <class T>
    void operator()(const char* name, T& value, T least, T most) const {
        const auto found = json.find(name);
        if (found == json.end() || !found->is_number()) return;
        const double number = found->get<double>();
        if (std::isfinite(number)) value = T(std::clamp(number, double(least), double(most)));
    }
    template <class E, std::size_t N>
    requires std::is_enum_v<E>
    void operator()(const char* name, E& value, const std::array<std::string_view, N>& names) const {
        std::string text;
        (*this)(name, text);
        if (const auto known = std::ranges::find(names, text); known != names.end())
            value = E(known - names.begin());
    }
};

struct PreferencesWriter {
    nlohmann::ordered_json& json;

    PreferencesWriter part(const char* name) const { return {json[name]}; }
    template <class T, class... Limits>
    void operator()(const char* name, const T& value, const Limits&... names) const {
        if constexpr (std::is_enum_v<T>)
            json[name] = std::get<0>(std::tie(names...))[std::size_t(value)];
        else
            json[name] = value;
    }
};

// Calls `field` for each preference in the order of the file, with its name and its limits or allowed names.
template <class P, class F>
void for_each_preference(P& p, const F& field) {
    field("theme", p.theme, kThemes);
    field("font_size", p.font_size, kMinFontSize, kMaxFontSize);
    field("panels", p.panels);
    field("panel_width", p.panel_width, kMinPanelWidth, kMaxPanelWidth);
    field("editor_width", p.editor_width, kMinPanelWidth, kMaxPanelWidth);
    field("window_width", p.window_width, kMinWindow, kMaxWindow);
    field("window_height", p.window_height, kMinWindow, kMaxWindow);
    field("axes", p.axes);
    field("panel_tab", p.panel_tab, kPanelTabs);
    field("open_sections", p.open_sections);
    field("view", p.view);
    field("smooth", p.smooth);
    field("show_numbers", p.show_numbers);
    field("colormap", p.colormap);
    field("laplacian_colormap", p.laplacian_colormap);
    const F brush = field.part("brush");
    constexpr double kMost = std::numeric_limits<float>::max();
    brush("value", p.brush.value, -kMost, kMost);
    brush("radius", p.brush.radius, kMinBrushRadius, kMaxBrushRadius);
    brush("add", p.brush.add);
    brush("soft", p.brush.soft);
    brush("shape", p.brush.shape, kShapes);
    brush("straight", p.straight);
    brush("tolerance", p.fill_tolerance, 0.0, kMost);
    field("export_folder", p.exports.folder);
    field("export_files", p.exports.files);
    field("export_replace", p.exports.replace);
    field("recent", p.recent);
}

}  // namespace

std::optional<std::filesystem::path> preferences_path() {
    return user_file("window.json");
}

Preferences read_preferences(std::string_view text) {
    Preferences result;
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) return result;
    for_each_preference(result, PreferencesReader{json});
    return result;
}

std::string write_preferences(const Preferences& preferences) {
    nlohmann::ordered_json json;
    for_each_preference(preferences, PreferencesWriter{json});
    return json_text(json);
}

Preferences load_preferences(std::string* trouble) {
    const auto path = preferences_path();
    if (!path) return {};
    try {
        constexpr std::uintmax_t kMaxBytes = 1'000'000;
        const std::string text = InputFile(*path).read_text(kMaxBytes);
        if (trouble && !Json::accept(text)) *trouble = set_aside(*path, path->string() + ": not JSON");
        return read_preferences(text);
    } catch (const InputError&) {
        return {};
    }
}

std::string set_aside(const std::filesystem::path& file, const std::string& why) {
    const std::string bad = file.string() + ".bad";
    std::error_code failed;
    std::filesystem::rename(file, bad, failed);
    return failed ? why : fmt::format("{}; the file is kept as {}", why, bad);
}

void save_preferences(const Preferences& preferences) {
    keep_file(preferences_path(), write_preferences(preferences));
}

void remember_path(Preferences& preferences, const std::string& path) {
    std::error_code failed;
    std::string whole = is_link(path) ? path : std::filesystem::absolute(path, failed).string();
    if (failed) whole = path;
    std::vector<std::string>& recent = preferences.recent;
    std::erase(recent, whole);
    recent.insert(recent.begin(), whole);
    if (recent.size() > kRecent) recent.resize(kRecent);
}

std::string keep_file(const std::optional<std::filesystem::path>& file, const std::string& text) {
    if (!file) return "";
    std::error_code ignored;
    std::filesystem::create_directories(file->parent_path(), ignored);
    try {
        write_text_file(*file, text, Links::followed);
    } catch (const MachineError& error) {
        return error.what();
    }
    return "";
}

}  // namespace stencil
