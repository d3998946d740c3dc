// Writes a run's files beside the run.
#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "sim/run/output/exports.h"

namespace stencil {

/// How an order ended.
struct ExportOutcome {
    std::string text;    ///< what was written where, or why not
    std::string folder;  ///< where files were written; empty: nowhere
    bool failed = false;
};

/// Everything that is written, held until it is.
struct ExportOrder {
    std::filesystem::path folder;
    std::string remark;  ///< after what was written where
    RunOutput output;

    /// What can be written is; the outcome tells of the rest. Throws InputError and MachineError where there
    /// is no folder to write to.
    ExportOutcome write(WriteProgress& progress) const;
};

/// One order at a time, on a thread of its own. The destructor waits for it: what was ordered is written.
class Exporter {
  public:
    bool busy() const { return writing_.valid(); }
    /// Done, 0 to 1, while busy; empty where nobody knows.
    std::optional<double> share() const;
    /// After the file in work.
    void cancel() { progress_.cancelled = true; }

    /// Not while busy. What the work throws is its outcome, too.
    void start(std::function<ExportOutcome(WriteProgress&)> work);

    /// How an order ended, once.
    std::optional<ExportOutcome> poll();

  private:
    WriteProgress progress_;
    std::future<ExportOutcome> writing_;
};

}  // namespace stencil
