// Catch2 2 (Debian 12, Ubuntu 22.04) and 3 (Ubuntu 24.04) through one header.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
