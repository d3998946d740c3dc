// bench --profile: what Nsight Compute (ncu) counts while a row's kernel runs.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/bench/suite.h"
#include "sim/text/json.h"

namespace stencil {

/// A launch of a kernel: ncu's metrics by their names, in base units (seconds as ns, bytes, percent).
struct ProfiledLaunch {
    std::string kernel;
    std::map<std::string, double, std::less<>> metrics;
};

/// The launches in the output of `ncu --csv --print-units base`, in order. Lines that are not of its table
/// are ignored; a metric that was not collected is missing.
std::vector<ProfiledLaunch> read_profile(std::string_view output);

/// What such an output says is missing, in one line; empty if it has launches.
std::string why_no_profile(std::string_view output);

/// A figure made of metrics.
struct ProfileFigure {
    std::string_view name;  ///< "issue slots used"
    std::string_view unit;  ///< "%"; empty for ratios
    std::string_view meaning;
    std::optional<double> value;  ///< empty if ncu has not collected it
    std::string detail;           ///< for people, after the value: the most frequent stall reasons
};
std::vector<ProfileFigure> figures_of(const ProfiledLaunch& launch);

/// A row of a benchmark with its profile, or why it has none.
struct RowProfile {
    std::string method;
    Size size;
    ProfiledLaunch launch;
    std::string why_not;  ///< in one line; empty if there is a launch
};

/// Why kernels cannot be profiled here, in one line; empty if ncu was found.
std::string why_no_profiler();

/// Runs `bench` again for one method and size under ncu, as far as it takes to profile two launches, of which
/// the longer counts. `words` are the other options of the benchmark. Takes some seconds.
RowProfile profile_row(const SuiteRow& row,
                       const std::vector<std::string>& words,
                       const std::function<bool()>& stop = nullptr);

// As text for the terminal, and as rows for profile.csv and bench.json.
std::string to_text(const RowProfile& profile);
nlohmann::ordered_json to_json(const std::vector<RowProfile>& profiles);

}  // namespace stencil
