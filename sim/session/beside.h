// What a session has beside its run: a second run, the runs of a sweep, and a fit.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/fit/fit_words.h"
#include "sim/sweep/sweep_spec.h"
#include "sim/text/json.h"

namespace stencil {

struct ReadyRun;

/// Run B: the session's run with one parameter apart.
struct RunB {
    struct Value {
        long long step = 0;  ///< from which it holds
        std::string value;
        friend bool operator==(const Value&, const Value&) = default;
    };
    std::string parameter;
    std::vector<Value> values;  ///< ascending; the first holds from the start

    /// The value changes at this step; later ones are forgotten.
    void set(long long step, std::string value);
    friend bool operator==(const RunB&, const RunB&) = default;
};

struct Beside {
    std::shared_ptr<const SweepSpec> sweep = {};  ///< its base ends at the step that its runs have reached
    std::optional<RunB> run_b = {};
    fitting::FitWords fit = {};  ///< targets and free parameters; empty: no fit was prepared
};

/// The base of a sweep of a run with its present settings: from step 0, on tiles of this size.
RunSpec sweep_base(RunSpec now, Size tile);
/// The size of tiles unless one is chosen: that of the field, or a part of it.
Size usual_tile(const RunSpec& now);

/// For the file of a session, under the key kBesideKey; null: nothing is shown beside the run.
nlohmann::ordered_json to_json(const Beside& beside);
inline constexpr const char* kBesideKey = "beside";
/// What the file of a session or of a sweep, with this text, says of it. Throws InputError that names `file`.
Beside beside_of_file(const std::string& text, const std::string& file);
/// What a ready run has beside it; its sweep begins at step 0.
Beside beside_of(const ReadyRun& run);

}  // namespace stencil
