#include "app/cli.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/console.h"
#include "sim/files/exchange/field_set.h"
#include "sim/machine/communicator.h"
#include "sim/machine/machine.h"
#include "stencilscope_commit.h"

namespace stencil {

std::vector<std::string> cli_words(const std::vector<std::string>& words) {
    std::vector<std::string> result;
    for (const std::string& word : words) {
        const bool empty = word.starts_with("--") && word.find('=') == word.size() - 1;
        result.push_back(empty ? word.substr(0, word.size() - 1) : word);
        if (empty) result.emplace_back();
    }
    std::ranges::reverse(result);
    return result;
}

CLI::Option* add_text(
    CLI::App& command, std::string_view name, std::string_view value, std::string help, TakeText take) {
    return command
        .add_option_function<std::string>(fmt::format("--{}", name), std::move(take), std::move(help))
        ->type_name(std::string(value));
}

CLI::Option* add_texts(
    CLI::App& command, std::string_view name, std::string_view value, std::string help, TakeText take) {
    const auto take_all = [take = std::move(take)](const std::vector<std::string>& texts) {
        std::ranges::for_each(texts, take);
    };
    return command
        .add_option_function<std::vector<std::string>>(fmt::format("--{}", name), take_all, std::move(help))
        ->type_name(std::string(value))
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_common(CLI::App& command, const std::string& what, std::string& json, bool& quiet) {
    add_text(command,
             "json",
             "FILE",
             fmt::format("also write the {} to this file, or with - to standard output", what),
             [&json](const std::string& file) {
                 json = file == "-" ? "/dev/stdout" : file;
                 print_beside(json);
             });
    command.add_flag("--quiet", quiet, "print nothing but errors and notes");
    add_device(command);
}

void add_device(CLI::App& command) {
    add_text(command,
             "device",
             "N",
             "which GPU, by its number in 'stencilscope devices' (default: the first that can be used)",
             choose_gpu)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void add_results(CLI::App& command, std::string& json, bool& quiet) {
    add_common(command, "results", json, quiet);
    command.set_version_flag("--version", version_text);
}

CLI::Option* add_setting(CLI::App& command, std::string_view name, std::string help, SettingWords& words) {
    const Setting& setting = find_setting(name);
    const auto take = [&](const std::string& text) { words.emplace_back(&setting, text); };
    if (setting.value.empty())
        return command.add_flag_callback(
            fmt::format("--{}", name), [take] { take("true"); }, std::move(help));
    if (setting.add) return add_texts(command, name, setting.value, std::move(help), take);
    const auto add = [&](std::string_view option, std::string its_help) {
        return add_text(command, option, setting.value, std::move(its_help), take)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    };
    if (!setting.former.empty()) add(setting.former, "")->group("");  // accepted, and not in the help
    return add(name, std::move(help));
}

std::string version_text() {
    const auto answer = [](bool yes) { return yes ? "yes" : "no"; };
    constexpr std::string_view commit = STENCILSCOPE_COMMIT;
    return fmt::format("stencilscope {}{}{}\nCUDA: {}; window: {}; MPI: {}; HDF5: {}",
                       STENCILSCOPE_VERSION,
                       commit.empty() ? "" : ", commit ",
                       commit,
                       answer(STENCILSCOPE_HAS_CUDA),
                       answer(STENCILSCOPE_HAS_WINDOW),
                       answer(Communicator::is_built_in()),
                       answer(why_no_hdf5().empty()));
}

std::vector<std::string> option_names(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options())
        if (!option->get_lnames().empty()) names.push_back("--" + option->get_lnames().front());
    return names;
}

}  // namespace stencil
