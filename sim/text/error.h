// The two ways a command can fail. Each message is one line: what is wrong and what is allowed.
#pragma once

#include <fmt/core.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace stencil {

/// An error whose message is a text, or is formatted by fmt from a text and its values.
struct FormattedError : std::runtime_error {
    using std::runtime_error::runtime_error;
    template <class First, class... Rest>
    FormattedError(fmt::format_string<First, Rest...> text, First&& first, Rest&&... rest)
        : std::runtime_error(fmt::vformat(text, fmt::make_format_args(first, rest...))) {}
};

/// What an InputError is about: a setting by its name in the table of settings, and the value given for it.
struct Given {
    std::string_view setting = {};
    std::optional<std::string_view> value = {};
};

/// The request is invalid on any machine (exit status 2). what() is "dt 0: must be above 0": the setting, the
/// value, the sentence. A front end spells the setting its own way; a sentence spells others as "--dt".
class InputError : public FormattedError {
  public:
    using FormattedError::FormattedError;
    InputError(const Given& given, std::string_view sentence)
        : FormattedError(fmt::format("{}{}{}{}{}",
                                     given.setting,
                                     given.value ? " " : "",
                                     given.value.value_or(""),
                                     given.setting.empty() ? "" : ": ",
                                     sentence)),
          setting_(given.setting) {}
    template <class First, class... Rest>
    InputError(const Given& given, fmt::format_string<First, Rest...> sentence, First&& first, Rest&&... rest)
        : InputError(given, fmt::vformat(sentence, fmt::make_format_args(first, rest...))) {}

    /// Empty if the error is about no single setting.
    const std::string& setting() const { return setting_; }
    /// what() without the setting: "0: must be above 0".
    virtual std::string sentence() const {
        const std::string_view all = what();
        return std::string(
            setting_.empty() ? all : all.substr(setting_.size() + (all[setting_.size()] == ':' ? 2 : 1)));
    }
    /// what() as a part of a sentence, and as the command line shows it: "--dt 0: must be above 0".
    std::string in_sentence() const { return (setting_.empty() ? "" : "--") + std::string(what()); }

  private:
    std::string setting_;
};

/// The machine failed: out of memory, disk full, CUDA error (exit status 1).
struct MachineError : FormattedError {
    using FormattedError::FormattedError;
};

}  // namespace stencil
