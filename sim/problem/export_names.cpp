#include "sim/problem/export_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "sim/model/equations.h"
#include "sim/model/model.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/quote.h"

namespace stencil {

std::vector<std::string> default_exports() {
    std::vector<std::string> names;
    for (const Export& row : kExports)
        if (row.standard) names.emplace_back(row.name);
    return names;
}

bool is_frame_export(std::string_view name) {
    return std::ranges::find(kFrameExports, name, &Export::name) != std::end(kFrameExports);
}

bool is_table_export(std::string_view name) {
    constexpr std::string_view kTables[] = {"statistics.csv", "histogram.csv", "profile.csv", "probes.csv"};
    return std::ranges::find(kTables, name) != std::end(kTables);
}

namespace {

// The names that an item may be: it may leave out the ending of a name, if no other one begins alike.
std::vector<std::string> names_meant(std::string_view item, const std::vector<std::string>& known) {
    if (contains(known, item)) return {std::string(item)};
    std::vector<std::string> meant;
    std::ranges::copy_if(known, std::back_inserter(meant), [&](const std::string& name) {
        return std::string_view(name).substr(0, name.find('.')) == item;
    });
    return meant;
}

}  // namespace

std::string why_no_dispersion(const Model& model) {
    if (std::ranges::none_of(model.equations->components, &equation::Evolving::rate))
        return "the model gives the next value outright, and small waves have no growth rates";
    return "";
}

void add_export(std::string_view item, std::vector<std::string>& names) {
    std::vector<std::string> added{std::string(item)};
    if (item == "default") {
        added = default_exports();
    } else if (item == "all") {
        added.clear();
        for (const Export& row : kExports)
            if (row.needs.empty()) added.emplace_back(row.name);
    } else {
        std::vector<std::string> known = names_of(kExports);
        for (const Export& row : kFrameExports) known.emplace_back(row.name);
        known.insert(known.end(), {"default", "all"});
        added = names_meant(item, known);
        if (added.size() > 1)
            throw InputError("--export: '{}' may be {}", quotable(item), fmt::join(added, " or "));
        if (added.empty()) throw InputError("--export: " + unknown_name_message("file", item, known));
    }
    for (const std::string& name : added)
        if (!contains(names, name)) names.push_back(name);
}

}  // namespace stencil
