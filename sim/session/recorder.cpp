#include "sim/session/recorder.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "sim/files/folder.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

ExportOutcome outcome_of(const std::function<ExportOutcome(WriteProgress&)>& work, WriteProgress& progress) {
    try {
        return work(progress);
    } catch (const std::bad_alloc&) {
        return {"export: not enough host memory; fewer files at a time need less", "", true};
    } catch (const std::exception& error) {
        return {error.what(), "", true};
    }
}

}  // namespace

Recorder::~Recorder() {
    try {
        end();
    } catch (const std::exception&) {
        // A destructor cannot report it.
    }
}

void Recorder::start(const action::Record& order, const RunSpec& now) {
    if (order.every <= 0) return;
    if (order.folder.empty()) throw InputError("recording: a folder is needed");
    every_ = order.every;
    fps_ = order.fps;
    if (!order.film.empty()) {
        const std::string name = "film" + order.film;
        const std::filesystem::path folder = unused_folder(order.folder, {&name, 1});
        auto film = std::make_unique<FilmWriter>(FilmRequest{folder / name, order.fps, order.figure}, now);
        make_folder(folder, "record to");
        film_ = std::move(film);
        return;
    }
    RunSpec spec = now;
    spec.every = order.every;
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

std::string Recorder::target() const {
    return film_ ? film_->path().string() : writer_ ? writer_->folder().string() : "";
}

void Recorder::look(Simulation& simulation) {
    if (!on() || simulation.step() % every_ != 0) return;
    try {
        if (film_)
            film_->write(simulation);
        else
            writer_->write(simulation);
    } catch (const std::exception& error) {
        writer_.reset();
        film_.reset();
        throw std::runtime_error(fmt::format("Recording ended: {}", error.what()));
    }
}

std::string Recorder::end() {
    const auto film = std::exchange(film_, nullptr);
    const auto frames = std::exchange(writer_, nullptr);
    if (film && film->frames() == 0) return "Recorded nothing: the run was paused";
    if (film) {
        film->finish();
        return fmt::format("Recorded {} frames to {}", film->frames(), film->path().string());
    }
    if (!frames) return "";
    const std::string recorded =
        fmt::format("Recorded {} files to {}", frames->count(), frames->folder().string());
    return frames->has_pictures()
               ? fmt::format("{}; a film of them: {}", recorded, film_command(frames->folder(), fps_))
               : recorded;
}

ExportOutcome ExportOrder::write(WriteProgress& progress) const {
    make_folder(folder, "export to");
    const auto [files, failures] = write_exports(folder, output, &progress);
    std::string text = fmt::format(
        "Wrote {} file{} to {}{}", files.size(), files.size() == 1 ? "" : "s", folder.string(), remark);
    if (progress.cancelled)
        text += fmt::format("; stopped before the other {}", progress.all - progress.done);
    if (!failures.empty()) text += "; not written: " + failures.front();
    if (failures.size() > 1) text += fmt::format(" (and {} more)", failures.size() - 1);
    return {text, folder.string(), !failures.empty()};
}

std::optional<double> Exporter::share() const {
    const std::size_t all = progress_.all;
    return busy() && all > 0 ? std::optional(double(progress_.done) / double(all)) : std::nullopt;
}

void Exporter::start(std::function<ExportOutcome(WriteProgress&)> work) {
    progress_.done = progress_.all = 0;
    progress_.cancelled = false;
    writing_ = std::async(std::launch::async, outcome_of, std::move(work), std::ref(progress_));
}

std::optional<ExportOutcome> Exporter::poll() {
    if (!busy() || writing_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
        return std::nullopt;
    return writing_.get();
}

}  // namespace stencil
