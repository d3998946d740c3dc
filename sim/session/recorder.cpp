#include "sim/session/recorder.h"

#include <fmt/format.h>

#include <stdexcept>

#include "sim/files/folder.h"
#include "sim/run/resolve.h"
#include "sim/text/error.h"

namespace stencil {
void Recorder::start(const action::Record& order, const RunSpec& now) {
    writer_.reset();
    if (order.every <= 0) return;
    if (order.folder.empty()) throw InputError("recording: a folder is needed");
    RunSpec spec = now;
    spec.every = every_ = order.every;
    spec.exports.clear();
    if (order.png) spec.exports.emplace_back("frames.png");
    if (order.npy) spec.exports.emplace_back("frames.npy");
    if (spec.exports.empty()) throw InputError("recording: pictures, arrays or both are needed");
    check_exports(spec);
    const std::string frames = "frames";
    const std::filesystem::path folder = unused_folder(order.folder, {&frames, 1}) / frames;
    make_folder(folder, "record to");
    writer_ = std::make_unique<FrameWriter>(folder, spec);
}

void Recorder::look(Simulation& simulation) {
    if (!writer_ || simulation.step() % every_ != 0) return;
    try {
        writer_->write(simulation);
    } catch (const std::exception& error) {
        writer_.reset();
        throw std::runtime_error(fmt::format("Recording ended: {}", error.what()));
    }
}

}  // namespace stencil
