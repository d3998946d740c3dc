// A session's state to disk, and a session that goes on from one.
#include <fmt/format.h>

#include <algorithm>

#include "sim/run/output/checkpoint.h"
#include "sim/run/resolve.h"
#include "sim/session/session.h"
#include "sim/text/error.h"

namespace stencil {

void Session::handle(const action::SaveCheckpoint& order) {
    if (exporter_.busy()) throw InputError("an export is being written: wait until it is done");
    if (order.folder.empty()) throw InputError("checkpoint: a folder is needed");
    const long long step = simulation_->step();
    const auto kept = std::make_shared<RunCheckpoint>(RunCheckpoint{simulation_->state(), measures_, {}});
    RunSpec& spec = kept->run.spec;
    spec.steps = std::max(spec.steps, step);
    spec.probes = probe_cells();
    spec.profile = view_.profile;
    exporter_.start([kept, step, folder = order.folder] {
        write_checkpoint(folder, *kept);
        return fmt::format("Wrote the checkpoint of step {} to {}/checkpoint", step, folder);
    });
}

void Session::handle(const action::Resume& resume) {
    RunCheckpoint from = read_checkpoint(resume.folder);
    const auto machine = std::make_shared<Machine>(query_machine());
    take_over(from, {}, *machine);
    check_solver_memory(from.run.now, *machine);
    auto next = std::make_unique<Simulation>(std::move(from.run));
    remember("resuming a run");
    machine_ = machine;
    auto_method_ = false;
    running_ = false;
    replace(std::move(next));
    measures_ = Measures();
    measures_.resume(from.measures.series(), from.measures.probes());
    message(Message::Level::notice,
            fmt::format("Going on from step {} of {}", simulation_->step(), resume.folder));
}

}  // namespace stencil
