// What examples on plain arrays have in common: their options, and a run for each precision.
#pragma once

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

/// Throws InputError for a seed that is none.
inline Random array_random(const ExampleRequest& request) {
    return Random(parse_seed(request.options.text("seed"), "--seed"));
}

inline void check_array(const ExampleRequest& request) {
    request.options.integer("length");
    array_random(request);
}

/// Calls run(T{}, share) for each precision of the request, T float or double; `share`: of the work that is
/// done before it.
template <class Run>
void in_each_dtype(const ExampleRequest& request, const Run& run) {
    for (std::size_t i = 0; i < request.dtypes.size(); ++i) {
        const double share = double(i) / double(request.dtypes.size());
        if (request.dtypes[i] == DType::float32)
            run(float{}, share);
        else
            run(double{}, share);
    }
}

}  // namespace stencil
