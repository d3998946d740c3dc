#include "app/window/remembered.h"

#include <algorithm>
#include <chrono>

#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/run/settings.h"
#include "sim/text/error.h"
#include "sim/text/json.h"

namespace stencil {
namespace {

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

void recall(UiState& ui, RunSpec& spec) {
    const Preferences& p = ui.preferences;
    if (const auto panes = panes_named(p.view)) ui.panes = *panes;
    ui.smooth = p.smooth;
    ui.show_numbers = p.show_numbers;
    ui.brush = p.brush;
    ui.straight = p.straight;
    ui.fill_tolerance = p.fill_tolerance;
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
    p.smooth = ui.smooth;
    p.show_numbers = ui.show_numbers;
    p.brush = ui.brush;
    p.straight = ui.straight;
    p.fill_tolerance = ui.fill_tolerance;
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
