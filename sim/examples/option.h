// The options of an example: as words on the command line, widgets of its panel, and values that are read.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/field/field.h"

namespace stencil {

/// One option. Its default is that of the tutorial that the example comes from.
struct ExampleOption {
    enum class Kind { integer, real, text, choice, file, flag, dtypes, bytes };

    std::string_view name;  ///< without its dashes
    Kind kind = Kind::text;
    std::string_view value = {};  ///< what stands for the value in the help, e.g. "N"; empty for a flag
    std::string_view help = {};
    std::string_view standard = {};     ///< as it would be typed; empty: none
    double least = 0, most = 0;         ///< of integer and real
    std::string_view replaced_by = {};  ///< an option that, where it is given, leaves this one nothing to say
    std::span<const std::string_view> choices = {};
    bool repeatable = false;      ///< may be given several times; all of them count
    std::string_view unset = {};  ///< for people: what holds where it is not given and has no default
};

/// The options that all examples have: backend, dtype, repeats, threads, memory-limit.
std::span<const ExampleOption> common_options();

/// The values of an example's options and of those that all examples have: as given, or their defaults.
class OptionValues {
  public:
    OptionValues() = default;
    explicit OptionValues(std::span<const ExampleOption> options) : options_(options) {}

    /// Adds a value of a repeatable option, replaces that of another. Throws InputError: an unknown name, or
    /// a value that the option does not allow.
    void set(std::string_view name, std::string_view text);

    bool given(std::string_view name) const;
    /// The (last) value, else the default; empty where there is neither.
    std::string text(std::string_view name) const;
    std::vector<std::string> all(std::string_view name) const;
    long long integer(std::string_view name) const;
    double real(std::string_view name) const;
    bool flag(std::string_view name) const;
    std::vector<DType> dtypes(std::string_view name) const;
    std::uint64_t bytes(std::string_view name) const;

    /// The example's own.
    std::span<const ExampleOption> options() const { return options_; }
    /// Throws InputError for an unknown name.
    const ExampleOption& find(std::string_view name) const;

  private:
    std::span<const ExampleOption> options_;
    std::map<std::string, std::vector<std::string>, std::less<>> given_;
};

}  // namespace stencil
