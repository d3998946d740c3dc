#include "sim/user_kernel/trial_rows.h"

#include <cmath>
#include <limits>

namespace stencil::user_kernel {

using Json = nlohmann::json;

Json row_json(const LadderRow& row) {
    return {{"nx", row.size.nx},
            {"ny", row.size.ny},
            {"fits", row.fits},
            {"why_not", row.why_not},
            {"steps", row.steps},
            {"repeats", row.repeats},
            {"seconds", row.seconds},
            {"spread", row.spread},
            {"total_steps", row.total_steps},
            {"error", std::isfinite(row.error) ? Json(row.error) : Json()},
            {"truth", row.truth},
            {"truth_error", row.truth_error}};
}

LadderRow row_from(const Json& json, const LadderSpec& spec) {
    LadderRow row;
    row.size = {json.at("nx"), json.at("ny")};
    row.fits = json.at("fits");
    row.why_not = json.at("why_not");
    row.steps = json.at("steps");
    row.repeats = json.at("repeats");
    row.seconds = json.at("seconds");
    row.spread = json.at("spread");
    row.total_steps = json.at("total_steps");
    row.error = json.at("error").is_null() ? std::numeric_limits<double>::quiet_NaN()
                                           : json.at("error").get<double>();
    row.truth = json.at("truth");
    row.truth_error = json.at("truth_error");
    if (row.measured())
        row.speed =
            speed_of(row.seconds, row.steps, row.cells(), spec.run.dtype, spec.run.model->components.size());
    return row;
}

}  // namespace stencil::user_kernel
