// Includes Catch2 2 (Debian 12, Ubuntu 22.04) or 3 (Ubuntu 24.04).
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;  // as Catch2 2 does
using Catch::Matchers::ContainsSubstring;
namespace Catch {
using TestEventListenerBase = EventListenerBase;
}
#else
#include <catch2/catch.hpp>
inline auto ContainsSubstring(const std::string& text) {
    return Catch::Matchers::Contains(text);
}
#endif

/// AddressSanitizer makes tests ten times slower, and finds the same errors in small fields.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kWatchedMemory = true;
#else
inline constexpr bool kWatchedMemory = false;
#endif
