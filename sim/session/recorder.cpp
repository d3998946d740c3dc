#include "sim/session/recorder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>
#include <utility>

#include "sim/files/folder.h"
#include "sim/run/advance.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

// Finishes a film and returns the message about it.
ExportOutcome written(FilmWriter& film, std::string_view what) {
    if (film.frames() == 0) return {"Recorded nothing: the run was paused"};
    film.finish();
    return {
        fmt::format(
            "{} {} frame{} to {}", what, film.frames(), film.frames() == 1 ? "" : "s", film.path().string()),
        film.path().parent_path().string()};
}

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

FilmRequest in_folder(FilmRequest request, const std::string& folder, const std::string& ending) {
    const std::string name = "film" + ending;
    request.file = unused_folder(folder, {&name, 1}) / name;
    return request;
}

Recorder::~Recorder() {
    try {
        if (on()) end();
    } catch (const std::exception&) {
        // A destructor cannot report it.
    }
}

void Recorder::start(const action::Record& order, const RunSpec& now) {
    if (order.every <= 0) return;
    if (order.folder.empty()) throw InputError("recording: a folder is needed");
    every_ = order.every;
    fps_ = order.choices.fps;
    if (!order.film.empty()) {
        FilmRequest request = in_folder(order.choices, order.folder, order.film);
        auto film = std::make_unique<FilmWriter>(request, FilmPace{every_, -1});
        make_folder(request.file.parent_path(), "record to");
        film_ = std::move(film);
        return;
    }
    asked_ = order.folder;
    kinds_.clear();
    if (order.png) kinds_.emplace_back("frames.png");
    if (order.npy) kinds_.emplace_back("frames.npy");
    if (kinds_.empty()) throw InputError("recording: pictures, arrays or both are needed");
    before_ = 0;
    folders_.clear();
    begin_frames(now);
}

void Recorder::begin_frames(const RunSpec& now) {
    RunSpec spec = now;
    spec.every = every_;
    spec.exports = kinds_;
    check_exports(spec);
    const std::string frames = "frames";
    const std::filesystem::path folder = unused_folder(asked_, {&frames, 1}) / frames;
    make_folder(folder, "record to");
    if (writer_) before_ += writer_->count();
    writer_ = std::make_unique<FrameWriter>(folder, spec);
    folders_.push_back(folder.string());
    pictures_ = folder / fmt::format("field{}_*.png", output_suffix(now, now.shown()));
    another_run_ = false;
    last_ = -1;
}

std::string Recorder::target() const {
    return film_ ? film_->path().string() : writer_ ? writer_->folder().string() : "";
}

void Recorder::look(Simulation& simulation) {
    try {
        if (film_) {
            film_->look(simulation);
            return;
        }
        const long long step = simulation.step();
        if (last_ >= 0 && (another_run_ || step <= last_)) begin_frames(simulation.now());
        writer_->write(simulation);
        last_ = step;
        another_run_ = false;
    } catch (const std::exception& error) {
        writer_.reset();
        film_.reset();
        throw std::runtime_error(fmt::format("Recording ended: {}", error.what()));
    }
}

ExportOutcome Recorder::end() {
    const long long all = count();
    const std::unique_ptr<FilmWriter> film = std::exchange(film_, nullptr);
    const std::unique_ptr<FrameWriter> frames = std::exchange(writer_, nullptr);
    if (film) return written(*film, "Recorded");
    std::string text = fmt::format("Recorded {} files to {}", all, fmt::join(folders_, ", "));
    if (frames->has_pictures()) text += "; a film of them:\n" + film_command(pictures_, fps_);
    return {text, frames->folder().string()};
}

ExportOutcome FilmOrder::write(WriteProgress& progress) const {
    FilmWriter film(request, film_pace(request, {0}, {spec.steps}, every));
    make_folder(request.file.parent_path(), "film to");
    Simulation run(spec, start);
    progress.all = std::size_t(std::max(spec.steps, 1LL));
    film.look(run);
    const Observer frames = film.observer();
    const Observer bar = after_slices([&](Simulation& now) { progress.done = std::size_t(now.step()); });
    advance(
        run, {.step = spec.steps, .stops = [&] { return bool(progress.cancelled); }}, {{frames, bar}}, {});
    if (progress.cancelled) return {"The film was stopped; there is no file"};
    return written(film, "Made a film of");
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

void Exporter::start(std::string doing, std::function<ExportOutcome(WriteProgress&)> work) {
    doing_ = std::move(doing);
    progress_.done = progress_.all = 0;
    progress_.cancelled = false;
    writing_.start(
        [this, work = std::move(work)](const std::stop_token&) { return outcome_of(work, progress_); });
}

}  // namespace stencil
