#include "app/window/preferences.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/files/image.h"
#include "sim/files/input_file.h"
#include "sim/import/model_file.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/text/error.h"
#include "sim/text/json.h"

namespace stencil {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxSections = 64;
constexpr std::array<std::string_view, 2> kThemes{"dark", "light"};                         // by Theme
constexpr std::array<std::string_view, 4> kShapes{"round", "square", "rectangle", "fill"};  // by BrushShape

// Takes what is valid from an object, and leaves the rest as it is.
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
            // It is of another kind.
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

// Hands each preference, in the order of the file, to a reader or writer: its name, and limits or names.
template <class P, class F>
void for_each_preference(P& p, const F& field) {
    field("theme", p.theme, kThemes);
    field("font_size", p.font_size, kMinFontSize, kMaxFontSize);
    field("panels", p.panels);
    field("panel_width", p.panel_width, kMinPanelWidth, kMaxPanelWidth);
    field("editor_width", p.editor_width, kMinPanelWidth, kMaxPanelWidth);
    field("window_width", p.window_width, kMinWindow, kMaxWindow);
    field("window_height", p.window_height, kMinWindow, kMaxWindow);
    field("prompts_done", p.prompts_done);
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
    field("export_folder", p.export_folder);
    field("export_files", p.export_files);
    field("export_replace", p.export_replace);
    field("recent", p.recent);
}

constexpr double kKeepEvery = 30;  // seconds
// Remarks that readers of a spec skip: the process whose window has the kept session open, when that began,
// and the equation as it was typed, if the run does not have it.
constexpr const char *kOpenIn = "open_in", *kOpenSince = "open_since", *kDraft = "draft";

void set_if_known(RunSpec& spec, std::string_view setting, const std::string& value) {
    if (value.empty() || !setting_text(spec, setting).empty()) return;
    try {
        set_setting(spec, setting, value);
    } catch (const InputError&) {
        // The colour map no longer exists.
    }
}

// Returns why the file could not be written; empty: it was.
std::string keep_file(const std::optional<std::filesystem::path>& file, const std::string& text) {
    if (!file) return "";
    std::error_code ignored;
    std::filesystem::create_directories(file->parent_path(), ignored);
    try {
        write_text_file(*file, text);
    } catch (const MachineError& error) {
        return error.what();
    }
    return "";
}

std::filesystem::path picture_beside(std::filesystem::path session) {
    return session.replace_extension(".png");
}

// Several windows may be open, so each keeps its session in a file of its own until it is closed.
std::string session_of(pid_t process) {
    return fmt::format("session-{}.json", process);
}

Json json_in(const std::filesystem::path& path) {
    std::ifstream file(path);
    return Json::parse(file, nullptr, false);
}

// Returns when a process began, in clock ticks since the machine did; 0 if that is unknown.
long long beginning_of(pid_t process) {
    std::ifstream file(fmt::format("/proc/{}/stat", process));
    std::string text((std::istreambuf_iterator<char>(file)), {});
    std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 2)));
    constexpr int kBefore = 19;  // between the program's name and its beginning
    std::string skipped;
    for (int i = 0; i < kBefore; ++i) fields >> skipped;
    long long ticks = 0;
    fields >> ticks;
    return ticks;
}

// Whether the process that has the session open has ended. Another one, or this one in a container, may have
// its number.
bool has_ended(pid_t process, const Json& session) {
    if (process == getpid() || (kill(process, 0) != 0 && errno == ESRCH)) return true;
    if (!session.is_object()) return false;
    const auto since = session.find(kOpenSince);
    const long long now = beginning_of(process);
    return since != session.end() && since->is_number_integer() && now != 0 && *since != now;
}

void move_session(const std::filesystem::path& from, const std::filesystem::path& to) {
    std::error_code failed;
    std::filesystem::rename(from, to, failed);
    if (failed) return;
    std::filesystem::rename(picture_beside(from), picture_beside(to), failed);
    if (failed) std::filesystem::remove(picture_beside(to), failed);  // it was of another session
}

// The session of a window that crashed, the newest of several, takes the place of the last one, which stays
// beside it as the others do.
void adopt_crashed(const std::filesystem::path& last) {
    std::vector<std::pair<std::filesystem::file_time_type, std::filesystem::path>> crashed;
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(last.parent_path(), failed)) {
        pid_t process = 0;
        const std::string name = entry.path().filename().string();
        if (std::sscanf(name.c_str(), "session-%d.json", &process) == 1 && name == session_of(process) &&
            has_ended(process, json_in(entry.path())))
            crashed.emplace_back(entry.last_write_time(failed), entry.path());
    }
    if (crashed.empty()) return;
    std::ranges::sort(crashed);
    move_session(last, last.parent_path() / "session-other.json");
    move_session(crashed.back().second, last);
    crashed.pop_back();
    for (const auto& [when, file] : crashed)
        move_session(file, last.parent_path() / ("crashed-" + file.filename().string()));
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

void recall(UiState& ui, RunSpec& spec) {
    const Preferences& p = ui.preferences;
    if (const auto panes = panes_named(p.view)) ui.panes = *panes;
    static_cast<KeptChoices&>(ui) = p;
    ExportState& state = ui.panel.exports;
    state.folder = p.export_folder;
    state.replace = p.export_replace;
    state.files.clear();
    for (const Export& file : kExports)
        if (std::ranges::find(p.export_files, file.name) != p.export_files.end())
            state.files.emplace_back(file.name);
    if (spec.chosen_colormap(spec.shown()).empty()) set_if_known(spec, setting_name::colormap, p.colormap);
    set_if_known(spec, setting_name::laplacian_colormap, p.laplacian_colormap);
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
    std::string whole = is_link(path) ? path : std::filesystem::absolute(path, failed).string();
    if (failed) whole = path;
    std::vector<std::string>& recent = preferences.recent;
    std::erase(recent, whole);
    recent.insert(recent.begin(), whole);
    if (recent.size() > kRecent) recent.resize(kRecent);
}

std::optional<std::filesystem::path> last_session() {
    const auto file = user_file("session.json");
    if (!file) return std::nullopt;
    adopt_crashed(*file);
    std::error_code failed;
    return std::filesystem::is_regular_file(*file, failed) ? file : std::nullopt;
}

std::string copy_last_session() {
    const auto last = last_session();
    if (!last) return "";
    const auto copy = last->parent_path() / "session-before.json";
    std::error_code failed;
    constexpr auto kReplace = std::filesystem::copy_options::overwrite_existing;
    std::filesystem::copy_file(*last, copy, kReplace, failed);
    if (failed) return "";
    std::filesystem::copy_file(picture_beside(*last), picture_beside(copy), kReplace, failed);
    if (failed) std::filesystem::remove(picture_beside(copy), failed);  // it was of another session
    return copy.string();
}

std::string keep_session(const RunSpec& spec,
                         bool open,
                         const GalleryPicture& picture,
                         const std::string& draft) {
    const auto own = user_file(session_of(getpid())), file = open ? own : user_file("session.json");
    if (!file) return "";
    nlohmann::ordered_json json = to_json(spec);
    if (open) {
        json[kOpenIn] = getpid();
        json[kOpenSince] = beginning_of(getpid());
    }
    if (!draft.empty()) json[kDraft] = draft;
    std::string trouble = keep_file(file, json_text(json));
    if (!trouble.empty()) return trouble;
    std::error_code ignored;
    if (picture.pixels.empty())
        std::filesystem::remove(picture_beside(*file), ignored);
    else
        trouble = keep_file(picture_beside(*file), png_text(picture.nx, picture.ny, picture.pixels));
    if (!open)
        for (const auto& ended : {*own, picture_beside(*own)}) std::filesystem::remove(ended, ignored);
    return trouble;
}

bool last_session_crashed() {
    const auto last = last_session();
    if (!last) return false;
    const Json json = json_in(*last);
    if (!json.is_object() || !json.contains(kOpenIn) || !json[kOpenIn].is_number_integer()) return false;
    return has_ended(json[kOpenIn].get<pid_t>(), json);
}

std::string draft_of_session(const std::filesystem::path& session) {
    const Json json = json_in(session);
    return json.is_object() && json.contains(kDraft) && json[kDraft].is_string()
               ? json[kDraft].get<std::string>()
               : std::string();
}

std::string SessionKeeper::take_trouble() {
    if (!work_.valid() || work_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return "";
    const std::string trouble = work_.get();
    return std::exchange(trouble_, trouble) == trouble ? "" : trouble;
}

bool SessionKeeper::due(const std::shared_ptr<const Snapshot>& snapshot, double seconds) {
    if (!due_) due_ = seconds + kKeepEvery;
    if (!snapshot->frame || (snapshot == kept_ && draft == kept_draft_) || seconds < *due_) return false;
    return !work_.valid() || work_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

void SessionKeeper::follow(const std::shared_ptr<const Snapshot>& snapshot,
                           double seconds,
                           const std::function<GalleryPicture()>& picture) {
    if (!due(snapshot, seconds)) return;
    due_ = seconds + kKeepEvery;
    kept_ = snapshot;
    kept_draft_ = draft;
    try {
        work_ = std::async(std::launch::async, [snapshot, picture = picture(), draft = draft] {
            return keep_session(snapshot->spec, true, picture, draft);
        });
    } catch (const std::system_error&) {
        // There is no thread left: the session is stored next time, or at the end.
    }
}

void SessionKeeper::finish(const Snapshot& snapshot, bool crashed, const GalleryPicture& picture) {
    if (work_.valid()) work_.wait();
    work_ = {};
    if (!snapshot.frame) return;
    keep_session(snapshot.spec, crashed, picture, draft);
    if (crashed) last_session();  // which takes its place now
}

}  // namespace stencil
