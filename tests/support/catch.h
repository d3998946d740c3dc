// What every test begins with: Catch2 2 (Debian 12, Ubuntu 22.04) or 3 (Ubuntu 24.04), headers of the
// standard library, helpers, and the names of the program.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "tests/support/scratch.h"

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

namespace stencil {}
using namespace stencil;
using namespace stencil_test;
