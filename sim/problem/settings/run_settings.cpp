#include <algorithm>
#include <cmath>

#include "sim/problem/artifact.h"
#include "sim/problem/settings/setting_rows.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

using Json = nlohmann::json;

ProfileLine read_profile(const std::string& text) {
    const auto parts = split(text, ',');
    if (parts.size() != 4)
        throw InputError(Given{"profile", quotable(text)}, "must be X0,Y0,X1,Y1, e.g. 0.5,64,127.5,64");
    const auto number = [&](int i) {
        const double value = parse_real(parts[std::size_t(i)], "profile");
        if (std::abs(value) > kMaxCells)
            throw InputError(
                Given{"profile", quotable(text)}, "each must be from -{} to {}", kMaxCells, kMaxCells);
        return value;
    };
    return {{number(0), number(1)}, {number(2), number(3)}};
}

std::string read_method(std::string_view text) {
    std::vector<std::string> known{"auto"};
    for (const std::string_view model : {kDiffusion, kEquation})
        for (const Method& method : methods(model))
            if (!contains(known, method.name)) known.emplace_back(method.name);
    // A name of earlier versions.
    if (const Method* method = find_method(text); method && !contains(known, text))
        return std::string(method->name);
    return setting_row::known_name("method", text, known);
}

std::string read_backend(std::string_view text) {
    return setting_row::known_name("backend", text, {"auto", "cpu", "cuda"});
}

// A switch for the method that gives up equal bits for speed.
void set_fast(RunSpec& spec, std::string_view text) {
    const bool fast = parse_flag(text, setting_name::fast);
    if (fast || spec.method == setting_name::fast) spec.method = fast ? setting_name::fast : "auto";
}

Setting interval(const setting_row::SettingHead& head, Interval Output::*member, bool clock_allowed) {
    return setting_row::row(
        head,
        [member, clock_allowed, setting = head.name](RunSpec& spec, std::string_view text) {
            spec.*member = read_interval(text, setting, clock_allowed);
        },
        [member](const RunSpec& spec) {
            const Interval& given = spec.*member;
            return !given.given() ? Json() : given.steps > 0 ? Json(given.steps) : Json(to_string(given));
        });
}

void set_exports(RunSpec& spec, std::string_view text) {
    spec.exports.clear();
    for (const std::string& name : split(text, ',')) add_export(name, spec.exports);
}

void add_edits(RunSpec& spec, std::span<const std::string> texts) {
    std::vector<Event> events;
    for (const std::string& text : texts) events.push_back(parse_event(text));
    for (const Event& event : events) spec.dt_log = spec.dt_log.until(event.step - 1);
    add_events(spec.edits, std::move(events));
}

void add_probes(RunSpec& spec, std::span<const std::string> texts) {
    for (const std::string& text : texts) {
        const auto parts = split(text, ',');
        if (parts.size() != 2) throw InputError(Given{"probe", quotable(text)}, "must be X,Y, e.g. 100,200");
        spec.probes.push_back({int(parse_integer(parts[0], "probe", 0, kMaxCells - 1)),
                               int(parse_integer(parts[1], "probe", 0, kMaxCells - 1))});
    }
}

void add_profiles(RunSpec& spec, std::span<const std::string> texts) {
    for (const std::string& text : texts) spec.profiles.push_back(read_profile(text));
}

void add_bookmarks(RunSpec& spec, std::span<const std::string> texts) {
    constexpr std::size_t kLongestBookmark = 60;
    for (const std::string& text : texts) {
        const std::size_t colon = text.find(':');
        const std::string name = colon == text.npos ? "" : text.substr(colon + 1);
        if (name.empty() || name.size() > kLongestBookmark ||
            std::ranges::any_of(name, [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
            throw InputError(Given{"bookmark", quotable(text)},
                             "must be STEP:NAME, e.g. 500:two spots, with a name of at most {} bytes",
                             kLongestBookmark);
        spec.bookmarks.push_back({parse_integer(text.substr(0, colon), "bookmark", 0, kMaxSteps), name});
    }
}

}  // namespace

std::string to_string(const RunSpec::Cell& cell) {
    return fmt::format("{},{}", cell.x, cell.y);
}
std::string to_string(const ProfileLine& line) {
    return fmt::format("{},{},{},{}", line.from.x, line.from.y, line.to.x, line.to.y);
}
std::string to_string(const RunSpec::Bookmark& bookmark) {
    return fmt::format("{}:{}", bookmark.step, bookmark.name);
}

std::vector<Setting> computation_settings() {
    using namespace setting_row;
    using enum SettingKind;
    return {
        text({setting_name::method,
              "NAME",
              "how to step (see below); auto takes the fastest there is",
              device},
             &RunSpec::method,
             read_method),
        row({setting_name::fast,
             "",
             "typed equations on the GPU with contraction and the hardware's functions: faster, its bits "
             "differ; as --method fast",
             device},
            set_fast,
            get_nothing),
        text({setting_name::backend, "B", "auto, cpu or cuda", device}, &RunSpec::backend, read_backend),
        whole({setting_name::threads, "N", "CPU threads (default: all)", device}, &RunSpec::threads, 1, 4096),
        member({setting_name::memory_limit, "BYTES", "use no more host or GPU memory, e.g. 2GB"},
               &RunSpec::memory_limit,
               parse_bytes,
               [](std::uint64_t) { return Json(); })};
}

std::vector<Setting> measurement_settings() {
    using namespace setting_row;
    return {
        of_whole_run(list(
            {setting_name::at,
             "STEP:SETTING=VALUE",
             "a change in mid-run, e.g. 500:coefficient=0.1 or 0:paint=1,20,replace,64,80; may be repeated"},
            &RunSpec::edits,
            add_edits)),
        of_whole_run(
            list({setting_name::probe, "X,Y", "a cell whose values go to probes.csv; may be repeated"},
                 &RunSpec::probes,
                 add_probes)),
        of_whole_run(list({setting_name::profile,
                           "X0,Y0,X1,Y1",
                           "a line in cell coordinates, whose values go to profile.csv; may be repeated"},
                          &RunSpec::profiles,
                          add_profiles)),
        of_whole_run(list({setting_name::bookmark,
                           "STEP:NAME",
                           "a moment that the window has among its bookmarks; may be repeated"},
                          &RunSpec::bookmarks,
                          add_bookmarks))};
}

std::vector<Setting> file_settings() {
    using namespace setting_row;
    return {
        of_whole_run(
            interval({setting_name::every,
                      "N|Tt",
                      "also a numbered frame every N steps, or (0.5t) at the first step of each such "
                      "time"},
                     &RunSpec::every,
                     false)),
        interval(
            {setting_name::checkpoint,
             "N|Tt|TIME",
             "every N steps, each such time (0.5t) or time of the clock (90s, 10min, 2h) the whole state to "
             "DIR/checkpoint, for --resume"},
            &RunSpec::checkpoint,
            true),
        row({setting_name::exports, "LIST", "files to write, separated by commas (see below); default, all"},
            set_exports,
            [](const RunSpec& s) { return Json(fmt::format("{}", fmt::join(s.exports, ","))); })};
}

}  // namespace stencil
