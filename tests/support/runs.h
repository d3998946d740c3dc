// Small runs on the CPU by two threads.
#pragma once

#include "sim/model/model.h"
#include "sim/problem/settings/settings.h"
#include "sim/problem/start.h"
#include "sim/run/resolve.h"
#include "sim/run/simulation.h"
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

/// A run of a text on 24 x 18 cells, with these settings.
inline stencil::RunSpec small_run(const std::string& text,
                                  const std::vector<std::pair<std::string, std::string>>& settings,
                                  stencil::DType dtype) {
    stencil::RunSpec spec = noise_run({24, 18}, "cpu");
    set_setting(spec, "equation", text);
    for (const auto& [name, value] : settings) set_setting(spec, name, value);
    spec.dtype = dtype;
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
    REQUIRE(again.dt_log() == run.dt_log());
    for (stencil::Simulation* each : {&again, &run}) each->apply(Advance{beyond});
    REQUIRE(same_bits(again.field(), run.field()));
    REQUIRE(again.edits() == run.edits());
    REQUIRE(again.dt_log() == run.dt_log());
    REQUIRE(again.solver().time() == run.solver().time());
}

/// Requires that a run of so many steps has the same bits and events where it is cut into these pieces, and
/// from there saved and resumed, or taken back after a change. The text has a parameter K.
inline void require_cut_changes_nothing(const stencil::RunSpec& spec,
                                        long long steps,
                                        const std::vector<long long>& pieces) {
    using stencil::Advance;
    stencil::Simulation whole = begun(spec), cut = begun(spec);
    whole.apply(Advance{steps});
    for (const long long piece : pieces) cut.apply(Advance{piece});
    const stencil::Simulation::Checkpoint within = cut.checkpoint();
    stencil::Simulation resumed(cut.state());
    const auto go_on = [&](stencil::Simulation& run) {
        run.apply(Advance{steps - within.step});
        REQUIRE(same_bits(run.field(), whole.field()));
        REQUIRE(run.edits() == whole.edits());
        REQUIRE(run.dt_log() == whole.dt_log());
    };
    go_on(cut);
    go_on(resumed);
    const stencil::EventList edits = cut.edits();
    const stencil::StepLog dt_log = cut.dt_log();
    cut.apply(stencil::Set{"K", "0.1"});
    cut.apply(Advance{3});
    cut.restore(within);
    cut.plan(edits.until(within.step), dt_log.until(within.step));
    go_on(cut);
}

/// Returns the cells of a field, row by row.
inline std::vector<double> cells_of(const stencil::Field& field) {
    const stencil::Field wide = field.to(stencil::DType::float64);
    const auto cells = wide.as<double>().cells();
    return {cells.begin(), cells.end()};
}

/// Requires that a checkpoint on disk goes on as the run does, and that its settings repeat it.
void require_saved_and_repeated(stencil::Simulation& run);

}  // namespace stencil_test
