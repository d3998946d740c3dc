// Verification of this machine: methods against the reference, executors of typed equations against each
// other, and hashes against those of other machines.
#pragma once

#include <deque>
#include <future>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/problem/run_spec.h"

namespace stencil {

struct VerifySpec {
    std::vector<std::string> models;  ///< names or files; empty: diffusion methods and all presets
    bool quick = false;               ///< one size and fewer compilations
};

/// One comparison.
struct VerifyRow {
    std::string what;               ///< "tiled float32 zero", "gray-scott float64 130x67"
    std::vector<std::string> ways;  ///< executors compared; for a method the reference
    std::string hash;               ///< for typed equations: field_hash of the first executor
    double error = 0;               ///< for a method: relative 2-norm error to the reference
    std::string problem;            ///< what differs, or why nothing was compared; empty: correct
    std::string note;               ///< why an executor was left out
};

/// Each call of work() adds one comparison's row, so that rows appear one by one. The next comparisons
/// already run in the background, because most of their time is compilation.
class Verification {
  public:
    /// Throws InputError if a model cannot be read.
    Verification(const VerifySpec& spec, const Machine& machine);

    bool done() const { return rows_.size() == cases_.size(); }
    double share() const { return double(rows_.size()) / double(cases_.size()); }
    void work();
    const std::vector<VerifyRow>& rows() const { return rows_; }
    int differing() const;

    /// This machine's hashes in the format of assets/certificate.json.
    nlohmann::ordered_json certificate() const;
    nlohmann::ordered_json report() const;
    /// A summary of the machine and the results for bug reports.
    std::string summary() const;

  private:
    struct Case {
        RunSpec run;
        std::string certified;  ///< key in the certificate; empty: not a preset
    };
    void add_methods();
    void add_model(const std::string& name, bool preset);
    /// Adds the case or, if `why_not` is not empty, leaves it out and keeps this reason for the summary.
    void add(Case c, const std::string& why_not);
    VerifyRow compare_method(const Case& c) const;
    VerifyRow compare_ways(const Case& c) const;

    VerifySpec spec_;
    const Machine& machine_;
    std::vector<Case> cases_;
    int left_out_ = 0;
    std::string why_left_out_;
    std::vector<VerifyRow> rows_;
    std::deque<std::future<VerifyRow>> ahead_;
};

/// Formats a line of the table.
std::string row_text(const VerifyRow& row);

}  // namespace stencil
