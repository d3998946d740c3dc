#include "tests/support/runs.h"

#include "sim/run/output/checkpoint.h"

namespace stencil_test {

void require_saved_and_repeated(stencil::Simulation& run) {
    using namespace stencil;
    const ScratchFolder folder;
    write_checkpoint(folder.path(), {run.state(), {}, {}});
    Simulation resumed(read_checkpoint(folder.path()).run);
    const std::string text = to_json(run.spec()).dump();
    const RunSpec spec = spec_from_json(text, "record");
    CHECK(to_json(spec).dump() == text);
    Simulation again = begun(spec);
    again.apply(Advance{run.step()});
    for (Simulation* other : {&resumed, &again}) {
        CHECK(same_bits(other->field(), run.field()));
        CHECK(other->edits() == run.edits());
    }
    const Simulation::Checkpoint here = run.checkpoint();
    for (Simulation* each : {&run, &resumed, &again}) each->apply(Advance{4});
    for (Simulation* other : {&resumed, &again}) CHECK(same_bits(other->field(), run.field()));
    run.restore(here);
}

}  // namespace stencil_test
