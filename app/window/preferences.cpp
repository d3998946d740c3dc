#include "app/window/preferences.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <sstream>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/window/panels/commands.h"
#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/files/image.h"
#include "sim/files/input_file.h"
#include "sim/import/model_file.h"
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

constexpr double kKeepEvery = 30;                  // seconds
constexpr std::string_view kCrashed = "crashed-";  // begins the name of a session that a crash ended
// Remarks that readers of a spec skip: the process whose window has the kept session open, when that began,
// and the equation as it was typed, if the run does not have it.
constexpr const char *kOpenIn = "open_in", *kOpenSince = "open_since", *kDraft = "draft";

// Returns why the file could not be written; empty: it was.
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

std::filesystem::path picture_beside(std::filesystem::path session) {
    return session.replace_extension(".png");
}

Json json_in(const std::filesystem::path& path) {
    constexpr std::uintmax_t kMaxBytes = 64'000'000;  // a larger one is read when it is opened
    try {
        return Json::parse(InputFile(path).read_text(kMaxBytes), nullptr, false);
    } catch (const std::exception&) {
        return Json(Json::value_t::discarded);
    }
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

// Whether a window that keeps the session has not closed it, and whether the window's process has ended.
// Another process, or this one in a container, may have its number.
enum class Closed { yes, no, crashed };
Closed closed(const Json& session) {
    if (!session.is_object() || !session.contains(kOpenIn) || !session[kOpenIn].is_number_integer())
        return Closed::yes;
    const pid_t process = session[kOpenIn].get<pid_t>();
    if (process <= 0 || process == getpid() || (kill(process, 0) != 0 && errno == ESRCH))
        return Closed::crashed;
    const auto since = session.find(kOpenSince);
    const long long now = beginning_of(process);
    const bool another = since != session.end() && since->is_number_integer() && now != 0 && *since != now;
    return another ? Closed::crashed : Closed::no;
}

// The files of sessions in the folder, those that were written last first. `own`: that have a name as
// session_file() gives it; else also those of earlier versions of the program.
std::vector<std::filesystem::path> session_files(const std::filesystem::path& folder, bool own) {
    std::vector<std::pair<std::filesystem::file_time_type, std::filesystem::path>> found;
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
        std::string name = entry.path().filename().string();
        if (name.starts_with(kCrashed)) name.erase(0, kCrashed.size());
        long long date = 0, time = 0, process = 0;
        const bool numbered =
            std::sscanf(name.c_str(), "session-%lld-%lld-%lld.json", &date, &time, &process) == 3 &&
            name == fmt::format("session-{:08}-{:06}-{}.json", date, time, process);
        const bool counts = numbered || (!own && name.starts_with("session") && name.ends_with(".json"));
        if (counts && entry.is_regular_file(failed)) found.emplace_back(entry.last_write_time(failed), entry);
    }
    std::ranges::sort(found, std::greater());
    std::vector<std::filesystem::path> files;
    for (auto& [when, file] : found) files.push_back(std::move(file));
    return files;
}

// Removes the oldest sessions, but none that another window has open.
void forget_oldest(const std::filesystem::path& folder) {
    const auto files = session_files(folder, true);
    std::error_code failed;
    for (std::size_t i = kSessions; i < files.size(); ++i)
        if (closed(json_in(files[i])) != Closed::no)
            for (const auto& file : {files[i], picture_beside(files[i])})
                std::filesystem::remove(file, failed);
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

KeptSessions find_sessions() {
    KeptSessions found;
    const auto path = preferences_path();
    if (!path) return found;
    std::vector<std::string> crashed;
    for (const auto& file : session_files(path->parent_path(), false)) {
        if (found.files.size() + crashed.size() == kSessions) break;
        const std::string name = file.filename().string();
        const Closed state = name.starts_with(kCrashed) ? Closed::yes : closed(json_in(file));
        if (state == Closed::yes) found.files.push_back(file.string());
        if (state != Closed::crashed) continue;
        // By its new name it is known to have been told of.
        const auto renamed = file.parent_path() / (std::string(kCrashed) + name);
        std::error_code failed;
        std::filesystem::rename(file, renamed, failed);
        crashed.push_back((failed ? file : renamed).string());
        if (!failed) std::filesystem::rename(picture_beside(file), picture_beside(renamed), failed);
    }
    found.crashed = !crashed.empty();
    found.files.insert(found.files.begin(), crashed.begin(), crashed.end());
    return found;
}

std::optional<std::filesystem::path> session_file() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    return user_file(fmt::format("session-{:%Y%m%d-%H%M%S}-{}.json", local, getpid()));
}

std::string keep_session(const std::optional<std::filesystem::path>& file,
                         const RunSpec& spec,
                         bool open,
                         const GalleryPicture& picture,
                         const std::string& draft) {
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
    forget_oldest(file->parent_path());
    return trouble;
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
    if (!worth_keeping(*snapshot) || (snapshot == kept_ && draft == kept_draft_) || seconds < *due_)
        return false;
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
        work_ = std::async(std::launch::async, [file = file_, snapshot, picture = picture(), draft = draft] {
            return keep_session(file, snapshot->spec, true, picture, draft);
        });
    } catch (const std::system_error&) {
        // There is no thread left: the session is stored next time, or at the end.
    }
}

void SessionKeeper::finish(const Snapshot& snapshot, bool crashed, const GalleryPicture& picture) {
    if (work_.valid()) work_.wait();
    work_ = {};
    if (worth_keeping(snapshot)) keep_session(file_, snapshot.spec, crashed, picture, draft);
}

}  // namespace stencil
