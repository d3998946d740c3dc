// A fit of parameters to targets, evaluation by evaluation.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/fit/least_squares.h"
#include "sim/fit/residuals.h"
#include "sim/fit/target.h"

namespace stencil::fitting {

/// A parameter of the model that is to be found.
struct Parameter {
    std::string name;
    std::optional<double> start = {};  ///< empty: the run's own value
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    bool log = false;  ///< is stepped by its logarithm
};

/// Reads NAME[=START[:LOW:HIGH]][:log], of which START, LOW and HIGH may be empty. Throws InputError.
Parameter read_parameter(std::string_view text);

struct FitSpec {
    RunSpec run;
    std::vector<Parameter> parameters;
    std::vector<Target> targets;
    StopRules rules;
    bool differences = false;  ///< takes differences of runs even where there are sensitivities
};

/// A target in a file, as a text, or one in memory.
using GivenTarget = std::variant<std::string, Target>;
/// Reads the targets of a fit, and takes the size of the first array where the run has none. `noise` has the
/// standard deviation of all values, or of each target's. Throws InputError.
void take_targets(FitSpec& spec, std::vector<GivenTarget> targets, const std::vector<double>& noise);

struct Estimate {
    Parameter parameter;  ///< with its start
    double value = 0;
    double error = 0;  ///< standard error; NaN: none can be told
    std::string note;  ///< why there is none; empty for most
};

struct Result {
    bool success = false;
    std::string message;  ///< how the fit ended, in a sentence
    std::vector<std::string> advice;
    std::vector<Estimate> estimates;
    std::vector<double> covariance, correlation;  ///< row by row
    std::vector<Iteration> iterations;            ///< at values of the parameters
    std::size_t values = 0, evaluations = 0, runs = 0;
    double noise = 0;  ///< standard deviation of a value that counts as one; estimated unless given
    bool noise_given = false;
    double chi_square = 0;        ///< sum of the squares of residuals / noise, noise being given
    std::size_t degrees = 0;      ///< of freedom: values - parameters that were free
    std::string why_differences;  ///< empty: the derivatives are exact
};

class Fit {
  public:
    /// Throws InputError: an unknown parameter, a target that does not fit, a start without a run.
    Fit(FitSpec spec, const Machine& machine);

    bool done() const { return steps_.done(); }
    /// Makes the next evaluation. Throws Stopped, and then changes nothing.
    void work();
    /// Where the fit is now.
    Result result() const;
    /// The run with the best parameters so far.
    RunSpec fitted() const;
    const std::vector<Iteration>& iterations() const { return steps_.iterations(); }
    const std::vector<Parameter>& parameters() const { return parameters_; }

    Residuals& residuals() { return residuals_; }
    const Residuals& residuals() const { return residuals_; }
    const std::vector<double>& best_residuals() const { return steps_.at_best().residuals; }
    /// The values of the best run for a target; NaN where the target has none.
    std::vector<double> model_values(std::size_t target) const {
        return residuals_.model_values(target, steps_.at_best().residuals);
    }

  private:
    std::vector<double> values_of(const std::vector<double>& variables) const;

    std::vector<Parameter> parameters_;
    Residuals residuals_;
    LeastSquares steps_;
    std::vector<std::string> exports_;  ///< of the run, which has none while it is fitted
    bool noise_given_ = false;
    std::size_t evaluations_ = 0;
    std::string why_not_;  ///< the newest step that had no run
};

}  // namespace stencil::fitting
