#include "app/window/sessions.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <ctime>
#include <functional>
#include <utility>

#include "app/window/format.h"
#include "app/window/panels/panels.h"
#include "app/window/preferences.h"
#include "sim/files/image.h"
#include "sim/files/input_file.h"
#include "sim/text/json.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

namespace fs = std::filesystem;

constexpr double kKeepEvery = 30;                  // seconds
constexpr std::uintmax_t kMostBytes = 64'000'000;  // largest file of a listed session
constexpr const char* kDraft = "draft";  // key of a remark in the file, which readers of a spec skip

fs::path picture_beside(fs::path session) {
    return session.replace_extension(".png");
}

std::tm local_time(std::time_t time) {
    std::tm local{};
    localtime_r(&time, &local);
    return local;
}

// Returns the files named as session_file() does, newest first.
std::vector<fs::path> session_files(const fs::path& folder) {
    constexpr std::string_view kStart = "session-";
    std::vector<std::pair<fs::file_time_type, fs::path>> found;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(folder, failed)) {
        const std::string name = entry.path().filename().string();
        const bool named = name.starts_with(kStart) && name.ends_with(".json") &&
                           std::isdigit(static_cast<unsigned char>(name[kStart.size()]));
        if (named && entry.is_regular_file(failed)) found.emplace_back(entry.last_write_time(failed), entry);
    }
    std::ranges::sort(found, std::greater());
    std::vector<fs::path> files;
    for (auto& [when, file] : found) files.push_back(std::move(file));
    return files;
}

}  // namespace

std::vector<std::string> find_sessions() {
    std::vector<std::string> found;
    if (const auto path = preferences_path())
        for (const fs::path& file : session_files(path->parent_path())) found.push_back(file.string());
    found.resize(std::min(found.size(), kSessions));
    return found;
}

std::optional<fs::path> session_file() {
    return user_file(
        fmt::format("session-{:%Y%m%d-%H%M%S}-{}.json", local_time(std::time(nullptr)), getpid()));
}

std::string keep_session(const std::optional<fs::path>& file,
                         const RunSpec& spec,
                         const GalleryPicture& picture,
                         const std::string& draft,
                         const Beside& beside) {
    if (!file) return "";
    nlohmann::ordered_json json = to_json(spec);
    if (!draft.empty()) json[kDraft] = draft;
    if (auto others = to_json(beside); !others.is_null()) json[kBesideKey] = std::move(others);
    std::string trouble = keep_file(file, json_text(json));
    if (!trouble.empty()) return trouble;
    std::error_code ignored;
    if (picture.pixels.empty())
        fs::remove(picture_beside(*file), ignored);
    else
        trouble = keep_file(picture_beside(*file), png_text(picture.nx, picture.ny, picture.pixels));
    const auto files = session_files(file->parent_path());
    for (std::size_t i = kSessions; i < files.size(); ++i)
        for (const auto& old : {files[i], picture_beside(files[i])}) fs::remove(old, ignored);
    return trouble;
}

std::string draft_of_session(const fs::path& session) {
    try {
        return nlohmann::json::parse(InputFile(session).read_text(kMostBytes)).value(kDraft, std::string());
    } catch (const std::exception&) {
        return "";
    }
}

GalleryPicture card_of_session(const fs::path& session) {
    try {
        if (fs::file_size(session) > kMostBytes) return {};
        const RunSpec spec = read_spec(session.string());
        const auto written = std::chrono::file_clock::to_sys(fs::last_write_time(session));
        const std::tm when = local_time(std::chrono::system_clock::to_time_t(
            std::chrono::time_point_cast<std::chrono::system_clock::duration>(written)));
        const Size size = spec.size.value_or(Size());
        GalleryPicture card = picture_of_png(picture_beside(session));
        card.title = printable(model_title(*spec.model));
        card.about =
            fmt::format("{}x{}, step {}, {:%e %b, %H:%M}", size.nx, size.ny, format_count(spec.steps), when);
        return card;
    } catch (const std::exception&) {
        return {};
    }
}

std::string SessionKeeper::take_trouble() {
    const auto trouble = work_.poll();
    return !trouble || std::exchange(trouble_, *trouble) == *trouble ? "" : *trouble;
}

bool SessionKeeper::due(const std::shared_ptr<const Snapshot>& snapshot, double seconds) {
    if (!due_) due_ = seconds + kKeepEvery;
    const bool changed = snapshot != kept_ || draft != kept_draft_;
    return worth_keeping(*snapshot) && changed && seconds >= *due_ && !work_.running();
}

void SessionKeeper::follow(const std::shared_ptr<const Snapshot>& snapshot,
                           double seconds,
                           const std::function<GalleryPicture()>& picture) {
    if (!due(snapshot, seconds)) return;
    due_ = seconds + kKeepEvery;
    kept_ = snapshot;
    kept_draft_ = draft;
    work_.start([file = file_, snapshot, picture = picture(), draft = draft](const std::stop_token&) {
        return keep_session(file, snapshot->spec, picture, draft, snapshot->beside);
    });
}

void SessionKeeper::finish(const Snapshot& snapshot, const GalleryPicture& picture) {
    if (work_.busy()) work_.get();
    if (worth_keeping(snapshot)) keep_session(file_, snapshot.spec, picture, draft, snapshot.beside);
}

}  // namespace stencil
