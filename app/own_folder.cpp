#include "app/own_folder.h"

#include <fmt/format.h>

#include <array>
#include <exception>
#include <filesystem>
#include <system_error>

#include "app/console.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/text/names.h"

namespace stencil {

namespace fs = std::filesystem;

nlohmann::ordered_json problem_of(const RunSpec& spec) {
    static constexpr std::array kEnding{
        setting_name::steps, setting_name::time, setting_name::until, setting_name::at};
    nlohmann::ordered_json problem;
    for (const Setting& row : settings()) {
        const bool counts = row.kind != SettingKind::view && row.kind != SettingKind::device;
        if (const auto value = row.get(spec); (counts || contains(kEnding, row.name)) && !value.is_null())
            problem[std::string(row.name)] = value;
    }
    // How many steps an ending by time or condition took is no setting.
    if (problem.contains(setting_name::time) || problem.contains(setting_name::until))
        problem.erase(setting_name::steps);
    return problem;
}

bool holds_results(const std::string& folder) {
    std::error_code ignored;
    return !folder.empty() && fs::exists(fs::path(folder) / "spec.json", ignored);
}

std::string own_folder(const std::string& folder,
                       const std::function<bool(const std::string& file)>& is_own) {
    const auto is_of_another = [&](const std::string& place) {
        try {
            return holds_results(place) && !is_own(place + "/spec.json");
        } catch (const std::exception&) {
            return true;
        }
    };
    fs::path plain = fs::path(folder).lexically_normal();
    if (!plain.has_filename()) plain = plain.parent_path();  // strips the slash of "out/"
    std::string place = plain.string();
    for (int number = 2; is_of_another(place); ++number) place = fmt::format("{}-{}", plain.string(), number);
    if (place == plain.string()) return folder;
    note("note: {} has the results of another run, so these go to {}; --replace puts them there\n",
         folder,
         place);
    return place;
}

}  // namespace stencil
