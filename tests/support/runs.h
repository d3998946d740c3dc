// Small runs on the CPU by two threads.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/model/model.h"
#include "sim/problem/settings.h"
#include "sim/problem/start.h"
#include "sim/run/resolve.h"
#include "sim/run/simulation.h"
#include "sim/text/json.h"
#include "sim/text/parse.h"
#include "tests/support/catch.h"
#include "tests/support/fields.h"

namespace stencil_test {

inline stencil::RunSpec noise_run(stencil::Size size, const std::string& method = "auto") {
    stencil::RunSpec spec;
    spec.size = size;
    spec.initial = "noise";
    spec.method = method;
    spec.backend = "cpu";
    spec.threads = 2;
    return spec;
}

/// A spec of the text alone.
inline stencil::RunSpec spec_of_text(const std::string& text) {
    stencil::RunSpec spec;
    spec.use_model(stencil::model_of_text(text));
    return spec;
}

inline stencil::RunSpec run_of_text(const std::string& text) {
    stencil::RunSpec spec = spec_of_text(text);
    spec.backend = "cpu";
    spec.threads = 2;
    return spec;
}

/// A spec of settings as "NAME=VALUE NAME=VALUE".
inline stencil::RunSpec spec_with(const std::string& settings) {
    stencil::RunSpec spec;
    for (const std::string& setting : stencil::split(settings, ' ')) {
        const std::size_t equals = setting.find('=');
        set_setting(spec, setting.substr(0, equals), setting.substr(equals + 1));
    }
    return spec;
}

/// A run at its first step.
inline stencil::Simulation begun(stencil::RunSpec spec) {
    spec = resolve(spec, stencil::query_machine());
    stencil::State start = make_start(spec);
    return {spec, std::move(start)};
}

/// Requires that the run's record repeats it up to its present step, and for so many steps beyond.
inline void require_record_repeats(stencil::Simulation& run, long long beyond = 200) {
    using stencil::Advance;
    const stencil::RunSpec record = stencil::spec_from_json(to_json(run.spec()).dump(), "record");
    stencil::Simulation again = begun(record);
    again.apply(Advance{run.step()});
    REQUIRE(same_bits(again.field(), run.field()));
    REQUIRE(again.edits() == run.edits());
    for (stencil::Simulation* each : {&again, &run}) each->apply(Advance{beyond});
    REQUIRE(same_bits(again.field(), run.field()));
    REQUIRE(again.edits() == run.edits());
    REQUIRE(again.solver().time() == run.solver().time());
}

/// Returns the cells of a field, row by row.
inline std::vector<double> cells_of(const stencil::Field& field) {
    const stencil::Field wide = field.to(stencil::DType::float64);
    const auto cells = wide.as<double>().cells();
    return {cells.begin(), cells.end()};
}

}  // namespace stencil_test
