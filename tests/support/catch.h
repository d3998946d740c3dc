// Catch2 2 (Debian 12, Ubuntu 22.04) and 3 (Ubuntu 24.04) through one header.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;  // Catch2 2 declares it globally
namespace Catch {
using TestEventListenerBase = EventListenerBase;
}
#else
#include <catch2/catch.hpp>
#endif

/// AddressSanitizer makes tests ten times slower, and finds in small fields what it finds in large ones.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kWatchedMemory = true;
#else
inline constexpr bool kWatchedMemory = false;
#endif
