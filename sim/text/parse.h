// Numbers and lists as people type them. Each function takes the setting's name for its error ("--steps ten:
// ...") and throws InputError, one line with what is allowed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stencil {

long long parse_integer(std::string_view text, std::string_view setting, long long least, long long most);
std::uint64_t parse_seed(std::string_view text, std::string_view setting);

/// All of the text as a whole number, or as a finite one; empty where it is none.
std::optional<long long> read_integer(std::string_view text);
std::optional<double> read_real(std::string_view text);

/// Any finite number.
double parse_real(std::string_view text, std::string_view setting);

/// "true" or "false".
bool parse_flag(std::string_view text, std::string_view setting);

/// A number of bytes >= 1: "500000000", "500MB", "1.5GiB", "2G" (K, M, G, T alone and with B count in 1000,
/// with iB in 1024).
std::uint64_t parse_bytes(std::string_view text, std::string_view setting);

std::vector<std::string> split(std::string_view text, char separator);

/// "512 B", "16.0 MB", "2.15 GB" (powers of 1000).
std::string format_bytes(double bytes);

/// The shortest decimal that reads back as the same number.
std::string format_real(double value);

}  // namespace stencil
