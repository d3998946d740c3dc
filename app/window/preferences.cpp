#include "app/window/preferences.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/files/input_file.h"
#include "sim/run/settings.h"
#include "sim/text/error.h"
#include "sim/text/json.h"

namespace stencil {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxSections = 64;
constexpr std::string_view kShapes[] = {"round", "square", "rectangle", "fill"};  // by BrushShape

void read(const Json& json, const char* name, bool& value) {
    if (const auto found = json.find(name); found != json.end() && found->is_boolean())
        value = found->get<bool>();
}

template <class T>
void read(const Json& json, const char* name, T& value, T least, T most) {
    const auto found = json.find(name);
    if (found == json.end() || !found->is_number()) return;
    const double number = found->get<double>();
    if (std::isfinite(number)) value = T(std::clamp(number, double(least), double(most)));
}

void read(const Json& json, const char* name, std::string& text) {
    if (const auto found = json.find(name); found != json.end() && found->is_string())
        text = found->get<std::string>();
}

void read(const Json& json, const char* name, std::vector<std::string>& texts) {
    const auto found = json.find(name);
    if (found == json.end() || !found->is_array() || found->size() > kMaxSections) return;
    const bool all = std::ranges::all_of(*found, [](const Json& text) { return text.is_string(); });
    if (all) texts = found->get<std::vector<std::string>>();
}

constexpr std::size_t kRecent = 8;
constexpr double kKeepEvery = 30;  // seconds

void set_if_known(RunSpec& spec, std::string_view setting, const std::string& value) {
    if (value.empty() || !setting_text(spec, setting).empty()) return;
    try {
        set_setting(spec, setting, value);
    } catch (const InputError&) {
        // The colour map no longer exists.
    }
}

std::optional<std::filesystem::path> session_file() {
    return user_file("session.json");
}

}  // namespace

std::optional<std::filesystem::path> preferences_path() {
    return user_file("window.json");
}

Preferences read_preferences(std::string_view text) {
    Preferences result;
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) return result;
    if (const auto theme = json.find("theme"); theme != json.end() && *theme == "light")
        result.theme = Theme::light;
    read(json, "font_size", result.font_size, kMinFontSize, kMaxFontSize);
    read(json, "panels", result.panels);
    read(json, "panel_width", result.panel_width, kMinPanelWidth, kMaxPanelWidth);
    read(json, "window_width", result.window_width, kMinWindow, kMaxWindow);
    read(json, "window_height", result.window_height, kMinWindow, kMaxWindow);
    read(json, "prompts_done", result.prompts_done);
    read(json, "axes", result.axes);
    read(json, "open_sections", result.open_sections);
    read(json, "view", result.view);
    read(json, "smooth", result.smooth);
    read(json, "show_numbers", result.show_numbers);
    read(json, "colormap", result.colormap);
    read(json, "laplacian_colormap", result.laplacian_colormap);
    if (const auto brush = json.find("brush"); brush != json.end()) {
        constexpr double kMost = std::numeric_limits<float>::max();
        read(*brush, "value", result.brush.value, -kMost, kMost);
        read(*brush, "radius", result.brush.radius, kMinBrushRadius, kMaxBrushRadius);
        read(*brush, "add", result.brush.add);
        read(*brush, "soft", result.brush.soft);
        read(*brush, "straight", result.straight);
        read(*brush, "tolerance", result.fill_tolerance, 0.0, kMost);
        std::string shape;
        read(*brush, "shape", shape);
        if (const auto known = std::ranges::find(kShapes, shape); known != std::end(kShapes))
            result.brush.shape = BrushShape(known - kShapes);
    }
    read(json, "export_folder", result.export_folder);
    read(json, "export_files", result.export_files);
    read(json, "export_replace", result.export_replace);
    read(json, "recent", result.recent);
    return result;
}

std::string write_preferences(const Preferences& preferences) {
    nlohmann::ordered_json json;
    json["theme"] = preferences.theme == Theme::light ? "light" : "dark";
    json["font_size"] = preferences.font_size;
    json["panels"] = preferences.panels;
    json["panel_width"] = preferences.panel_width;
    json["window_width"] = preferences.window_width;
    json["window_height"] = preferences.window_height;
    json["prompts_done"] = preferences.prompts_done;
    json["axes"] = preferences.axes;
    json["open_sections"] = preferences.open_sections;
    json["view"] = preferences.view;
    json["smooth"] = preferences.smooth;
    json["show_numbers"] = preferences.show_numbers;
    json["colormap"] = preferences.colormap;
    json["laplacian_colormap"] = preferences.laplacian_colormap;
    const Brush& brush = preferences.brush;
    json["brush"] = {{"value", brush.value},
                     {"radius", brush.radius},
                     {"add", brush.add},
                     {"soft", brush.soft},
                     {"shape", kShapes[int(brush.shape)]},
                     {"straight", preferences.straight},
                     {"tolerance", preferences.fill_tolerance}};
    json["export_folder"] = preferences.export_folder;
    json["export_files"] = preferences.export_files;
    json["export_replace"] = preferences.export_replace;
    json["recent"] = preferences.recent;
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
    const auto path = preferences_path();
    if (!path) return;
    std::error_code ignored;
    std::filesystem::create_directories(path->parent_path(), ignored);
    try {
        write_text_file(*path, write_preferences(preferences));
    } catch (const MachineError&) {
        // If the folder cannot be written to, the window starts with defaults next time.
    }
}

void recall(UiState& ui, RunSpec& spec) {
    const Preferences& p = ui.preferences;
    if (const auto panes = panes_named(p.view)) ui.panes = *panes;
    static_cast<KeptChoices&>(ui) = p;
    ExportState& state = ui.panel.exports;
    state.folder = p.export_folder;
    state.replace = p.export_replace;
    state.files.clear();
    for (const Export& file : exports())
        if (std::ranges::find(p.export_files, file.name) != p.export_files.end())
            state.files.emplace_back(file.name);
    if (spec.chosen_colormap().empty()) set_if_known(spec, "colormap", p.colormap);
    set_if_known(spec, "laplacian-colormap", p.laplacian_colormap);
}

Preferences kept(const UiState& ui, const RunSpec& now) {
    Preferences p = ui.preferences;
    p.view = shown_view(ui).name;
    static_cast<KeptChoices&>(p) = ui;
    if (!now.colormap.empty()) p.colormap = now.colormap;
    p.laplacian_colormap = now.laplacian_colormap;
    p.export_folder = ui.panel.exports.folder;
    p.export_files = ui.panel.exports.files;
    p.export_replace = ui.panel.exports.replace;
    return p;
}

void remember_path(Preferences& preferences, const std::string& path) {
    std::error_code failed;
    const std::string whole = std::filesystem::absolute(path, failed).string();
    std::vector<std::string>& recent = preferences.recent;
    std::erase(recent, failed ? path : whole);
    recent.insert(recent.begin(), failed ? path : whole);
    if (recent.size() > kRecent) recent.resize(kRecent);
}

std::optional<std::filesystem::path> last_session() {
    const auto file = session_file();
    std::error_code failed;
    if (!file || !std::filesystem::is_regular_file(*file, failed)) return std::nullopt;
    return file;
}

std::string copy_last_session() {
    const auto last = last_session();
    if (!last) return "";
    const auto copy = last->parent_path() / "session-before.json";
    std::error_code failed;
    std::filesystem::copy_file(*last, copy, std::filesystem::copy_options::overwrite_existing, failed);
    return failed ? "" : copy.string();
}

void keep_session(const RunSpec& spec) {
    const auto file = session_file();
    if (!file) return;
    std::error_code ignored;
    std::filesystem::create_directories(file->parent_path(), ignored);
    try {
        write_text_file(*file, json_text(to_json(spec)));
    } catch (const MachineError&) {
        // If the folder cannot be written to, there is no session to continue.
    }
}

void SessionKeeper::follow(const std::shared_ptr<const Snapshot>& snapshot, double seconds) {
    if (!due_) due_ = seconds + kKeepEvery;
    if (!snapshot->frame || snapshot == kept_ || seconds < *due_) return;
    if (work_.valid() && work_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
    due_ = seconds + kKeepEvery;
    kept_ = snapshot;
    work_ = std::async(std::launch::async, [snapshot] { keep_session(snapshot->spec); });
}

void SessionKeeper::finish(const Snapshot& snapshot) {
    if (work_.valid()) work_.wait();
    if (snapshot.frame) keep_session(snapshot.spec);
}

}  // namespace stencil
