#include "sim/session/fit_task.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "sim/machine/machine.h"
#include "sim/session/beside.h"
#include "sim/text/error.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

// Fields and charts are made anew where a step was taken, which `taken` says.
FitView next_view(FitView view, const fitting::Fit& fit, bool taken) {
    view.result = fit.result();
    view.running = !fit.done();
    if (!taken) return view;
    view.fields = std::make_shared<const std::vector<fitting::FieldResidual>>(fitting::field_residuals(fit));
    view.charts = fitting::table_charts(fit);
    return view;
}

// A run that is watched has no end of its own.
void require_moment(const fitting::Target& target, const Ending& end) {
    if (target.times.empty() && end == Ending{0})
        throw InputError(Given{"target", quotable(target.name)},
                         "at which time are these values? Write FILE@TIME, such as v.npy@600");
}

}  // namespace

const fitting::FieldResidual& FitView::pictured(std::size_t target) const {
    const auto found = std::ranges::find(*fields, target, &fitting::FieldResidual::index);
    return found == fields->end() ? fields->front() : *found;
}

RunSpec fit_base(const RunSpec& now, const Ending& end, const fitting::FitWords& words) {
    RunSpec base = sweep_base(now, fitting::size_of_targets(words).value_or(now.size.value_or(Size())));
    static_cast<Ending&>(base) = end;
    return base;
}

void FitTask::start(RunSpec now, const Ending& end, fitting::FitWords words) {
    drop();
    FitView first;
    first.words = std::move(words);
    first.run = now;
    shown_ = std::make_shared<const FitView>(first);
    newest_->change([&](auto& view) { view = shown_; });
    work_.start([views = newest_, view = std::move(first), now = std::move(now), end](
                    const std::stop_token& stop) mutable -> std::shared_ptr<const fitting::Fit> {
        const auto show = [&] {
            views->change([&](auto& newest) { newest = std::make_shared<const FitView>(view); });
        };
        std::shared_ptr<fitting::Fit> fit;
        try {
            view.run = fit_base(now, end, view.words);
            fitting::FitSpec spec = fitting::read_fit(view.run, view.words);
            for (const fitting::Target& target : spec.targets) require_moment(target, end);
            fit = std::make_shared<fitting::Fit>(std::move(spec), query_machine());
            fit->residuals().stops = [stop] { return stop.stop_requested(); };
            while (!fit->done()) {
                fit->work();
                const auto& all = fit->iterations();
                view = next_view(std::move(view), *fit, !all.empty() && all.back().taken);
                show();
            }
        } catch (const fitting::Stopped&) {
        } catch (const std::bad_alloc&) {
            view.failure = "Not enough memory";
        } catch (const std::exception& error) {
            view.failure = error.what();
        }
        view.running = false;
        show();
        const bool any = fit && !fit->iterations().empty();
        return any ? fit : nullptr;
    });
}

void FitTask::drop() {
    if (work_.busy()) {
        work_.cancel();
        work_.get();
    }
    done_ = nullptr;
    shown_ = nullptr;
    newest_->change([](auto& view) { view = nullptr; });
}

bool FitTask::follow() {
    if (auto done = work_.poll()) done_ = *std::move(done);
    const auto newest = newest_->read();
    return std::exchange(shown_, newest) != newest;
}

std::vector<std::filesystem::path> FitTask::write(const std::filesystem::path& folder) const {
    if (work_.busy()) throw InputError("the fit goes on: wait until it is done, or stop it");
    if (!done_) throw InputError("there is no fit to export");
    return fitting::write_fit(folder, *done_);
}

}  // namespace stencil
