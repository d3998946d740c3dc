#include "sim/problem/artifact.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "sim/problem/panes.h"
#include "sim/problem/run_spec.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

// Files of earlier versions, and those that show the same.
constexpr std::pair<std::string_view, std::string_view> kFormer[] = {{"contours.svg", "view.svg"},
                                                                     {"surface.png", "view.png"}};

std::vector<std::string> with_trait(unsigned trait, bool has) {
    std::vector<std::string> names;
    for (const Artifact& row : artifacts())
        if (!row.frames && row.is(trait) == has) names.push_back(row.name);
    return names;
}

// The names that an item may be.
std::vector<std::string> names_meant(std::string_view item) {
    if (item == "default") return default_exports();
    if (item == "all") return with_trait(kByName, false);
    if (find_artifact(item)) return {std::string(item)};
    std::vector<std::string> meant;
    for (const auto& [former, name] : kFormer)
        if (item == former) meant.emplace_back(name);
    for (const Artifact& row : artifacts())
        if (item == row.stem) meant.push_back(row.name);
    return meant;
}

}  // namespace

std::string Artifact::why_not(const RunSpec& spec) const {
    if (frames && !spec.every.given()) return "a file of each moment needs --every N";
    return needs.why_not ? needs.why_not(spec) : "";
}

const Artifact* find_artifact(std::string_view name) {
    const auto row = std::ranges::find(artifacts(), name, &Artifact::name);
    return row == artifacts().end() ? nullptr : &*row;
}

std::vector<const Artifact*> chosen_artifacts(const RunSpec& spec) {
    std::vector<const Artifact*> rows;
    for (const Artifact& row : artifacts())
        if (contains(spec.exports, row.name)) rows.push_back(&row);
    return rows;
}

bool exports_any(const RunSpec& spec, unsigned traits) {
    const bool shows_rows = (traits & kRows) && contains(panes_of(spec), Pane::xt);
    return std::ranges::any_of(chosen_artifacts(spec), [&](const Artifact* row) {
        return !row->frames && (row->is(traits) || (shows_rows && row->is(kView)));
    });
}

std::vector<std::string> default_exports() {
    return with_trait(kStandard, true);
}

void add_export(std::string_view item, std::vector<std::string>& names) {
    const std::vector<std::string> added = names_meant(item);
    const bool several = item == "default" || item == "all";
    if (added.size() > 1 && !several)
        throw InputError(Given{"export"}, "'{}' may be {}", quotable(item), fmt::join(added, " or "));
    if (added.empty()) {
        std::vector<std::string> known = names_of(artifacts());
        known.insert(known.end(), {"default", "all"});
        throw InputError(Given{"export"}, unknown_name_message("file", item, known));
    }
    for (const std::string& name : added)
        if (!contains(names, name)) names.push_back(name);
}

}  // namespace stencil
