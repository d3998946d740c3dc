// Whether this machine steps as it should: every method beside the reference, every way of stepping typed
// equations beside the others, and their bits beside those of other machines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/run/run_spec.h"

namespace stencil {

struct VerifySpec {
    std::vector<std::string> models;  ///< names or files; empty: the diffusion methods and all presets
    bool quick = false;               ///< one size and fewer compilations
};

/// One comparison.
struct VerifyRow {
    std::string what;               ///< "tiled float32 zero", "gray-scott float64 130x67"
    std::vector<std::string> ways;  ///< that were compared; of a method the reference
    std::string hash;               ///< of typed equations: field_hash of the first way
    double error = 0;               ///< of a method: relative 2-norm to the reference
    std::string problem;  ///< what differs, or why there was nothing to compare; empty: all is right
    std::string note;     ///< why a way was left out
};

/// Piece by piece, so that rows appear as they are made.
class Verification {
  public:
    /// Throws InputError where a model cannot be read.
    Verification(const VerifySpec& spec, const Machine& machine);

    bool done() const { return next_ == cases_.size(); }
    double share() const { return double(next_) / double(cases_.size()); }
    void work();
    const std::vector<VerifyRow>& rows() const { return rows_; }
    int differing() const;

    /// The hashes of this machine, as assets/certificate.json holds those of all.
    nlohmann::ordered_json certificate() const;
    nlohmann::ordered_json report() const;
    /// What a bug report should say of the machine, and how many rows are right.
    std::string summary() const;

  private:
    struct Case {
        RunSpec run;
        std::string certified;  ///< its name in the certificate; empty: no preset
    };
    void add_methods();
    void add_model(const std::string& name, bool preset);
    VerifyRow compare_method(const Case& c) const;
    VerifyRow compare_ways(const Case& c) const;

    VerifySpec spec_;
    const Machine& machine_;
    std::vector<Case> cases_;
    std::vector<VerifyRow> rows_;
    std::size_t next_ = 0;
};

/// A line of the table.
std::string row_text(const VerifyRow& row);

}  // namespace stencil
