// Parses typed numbers and lists. Each function takes the setting's name for errors ("steps ten: ...") and
// throws a one-line InputError that says what is allowed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stencil {

long long parse_integer(std::string_view text, std::string_view setting, long long least, long long most);
/// Reads what parse_integer() takes: "2000", "1e3", "10k". Empty if it is no whole number.
std::optional<long long> read_whole(std::string_view text);
/// "2000x1000", or one number for both, written likewise: "1e3x1k". Empty if it is no such text.
std::optional<std::pair<long long, long long>> read_extent(std::string_view text);
std::uint64_t parse_seed(std::string_view text, std::string_view setting);

/// Parse the whole text as an integer or a finite number; empty if it is none.
std::optional<long long> read_integer(std::string_view text);
std::optional<double> read_real(std::string_view text);

/// Any finite number.
double parse_real(std::string_view text, std::string_view setting);

/// "true" or "false".
bool parse_flag(std::string_view text, std::string_view setting);

/// A number of bytes >= 1: "500000000", "500MB", "1.5GiB", "2G" (K, M, G, T and KB ... in powers of 1000, KiB
/// ... of 1024).
std::uint64_t parse_bytes(std::string_view text, std::string_view setting);

std::vector<std::string> split(std::string_view text, char separator);

/// Returns "512 B", "16.0 MB", "2.15 GB" (powers of 1000).
std::string format_bytes(double bytes);

/// Returns the shortest decimal that parses to the same number.
std::string format_real(double value);

}  // namespace stencil
