// What examples on plain arrays have in common: their options, and a run for each precision.
#pragma once

#include <algorithm>

#include "sim/examples/example.h"
#include "sim/field/random.h"
#include "sim/text/parse.h"

namespace stencil {

inline constexpr ExampleOption kArraySeedOption{
    .name = "seed",
    .kind = ExampleOption::Kind::text,
    .value = "N",
    .help = "of the random numbers on [0, 1), NumPy's default_rng",
    .standard = "1"};

inline constexpr ExampleOption kLengthOption{.name = "length",
                                             .kind = ExampleOption::Kind::integer,
                                             .value = "N",
                                             .help = "elements of each array",
                                             .standard = "1000000",
                                             .least = 1,
                                             .most = 1e12};

inline constexpr ExampleOption kSweepOption{
    .name = "sweep",
    .kind = ExampleOption::Kind::flag,
    .help = "also curves over lengths of 1000, 10000 and so on: times, and errors of sums"};

inline constexpr ExampleOption kLongestOption{.name = "longest",
                                              .kind = ExampleOption::Kind::integer,
                                              .value = "N",
                                              .help = "most elements of the curves, as far as memory allows",
                                              .standard = "100000000",
                                              .least = 1000,
                                              .most = 1e12};

/// Throws InputError for a seed that is not one.
inline Random array_random(const ExampleRequest& request) {
    return Random(parse_seed(request.options.text("seed"), "--seed"));
}

inline void check_array(const ExampleRequest& request) {
    request.options.integer("length");
    array_random(request);
}

/// Calls check(T{}) for the precision of the request that takes most memory.
template <class Check>
void in_widest_dtype(const ExampleRequest& request, const Check& check) {
    if (std::ranges::find(request.dtypes, DType::float64) == request.dtypes.end())
        check(float{});
    else
        check(double{});
}

/// Calls run(T{}) for each precision of the request, T float or double.
template <class Run>
void in_each_dtype(const ExampleRequest& request, const Run& run) {
    for (const DType dtype : request.dtypes) {
        if (dtype == DType::float32)
            run(float{});
        else
            run(double{});
    }
}

}  // namespace stencil
