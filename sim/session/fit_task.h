// A fit in the background of a session: it goes on while the run is stepped and drawn.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/figure/chart.h"
#include "sim/fit/fit_report.h"
#include "sim/fit/fit_words.h"
#include "sim/machine/background.h"
#include "sim/problem/run_spec.h"

namespace stencil {

/// What a fit has found so far, for display.
struct FitView {
    fitting::FitWords words;
    RunSpec run;  ///< that is fitted, from its start on
    bool running = true;
    std::string failure;  ///< why there is no fit; empty: there is one, or it has not begun
    fitting::Result result;
    // At the best parameters so far:
    std::shared_ptr<const std::vector<fitting::FieldResidual>> fields;  ///< null before the first evaluation
    std::vector<figure::Chart> charts;                                  ///< of the targets that are tables

    /// Whether a target is a field, so that there are pictures.
    bool has_fields() const { return fields && !fields->empty(); }
    /// Returns the pictures of a target. A table has none: then those of the first target that is a field.
    const fitting::FieldResidual& pictured(std::size_t target) const;
};

/// Where the runs of a fit end, for targets without a time: where the run stops, else at the present step.
inline Ending fit_end(const std::optional<Ending>& stop_at, long long step) {
    return stop_at.value_or(Ending{step});
}
/// The run that is fitted in place of a session's run with these settings: from step 0 on, on as many cells
/// as the targets have. Throws InputError.
RunSpec fit_base(const RunSpec& now, const Ending& end, const fitting::FitWords& words);

class FitTask {
  public:
    /// Fits in place of an earlier fit, which ends.
    void start(RunSpec now, const Ending& end, fitting::FitWords words);
    /// Ends after the slice of steps that is being made; what was found stays.
    void cancel() { work_.cancel(); }
    /// Forgets the fit.
    void drop();

    /// The newest state; null: no fit was started.
    std::shared_ptr<const FitView> view() const { return shown_; }
    /// Takes over the newest state; returns whether it is another one.
    bool follow();
    /// Writes the files of the command; returns their paths. Throws InputError while there is nothing to
    /// write.
    std::vector<std::filesystem::path> write(const std::filesystem::path& folder) const;

  private:
    using Views = Shared<std::shared_ptr<const FitView>>;

    std::shared_ptr<Views> newest_ = std::make_shared<Views>();
    std::shared_ptr<const FitView> shown_;
    std::shared_ptr<const fitting::Fit> done_;  ///< null while it goes on
    Background<std::shared_ptr<const fitting::Fit>> work_;
};

}  // namespace stencil
