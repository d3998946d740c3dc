// Writes a run's files in a thread.
#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "sim/run/output/exports.h"

namespace stencil {

/// The result of an export.
struct ExportOutcome {
    std::string text;    ///< what was written where, or why not
    std::string folder;  ///< where files were written; empty: none
    bool failed = false;
};

/// Copies of all data to be written.
struct ExportOrder {
    std::filesystem::path folder;
    std::string remark;  ///< appended to the result's text
    RunOutput output;

    /// Writes what it can and reports failures. Throws InputError and MachineError if there is no folder.
    ExportOutcome write(WriteProgress& progress) const;
};

/// Runs one export at a time in a thread. The destructor waits for it.
class Exporter {
  public:
    bool busy() const { return writing_.valid(); }
    /// Share done, 0 to 1, while busy; empty if unknown.
    std::optional<double> share() const;
    /// Ends the export after the file being written.
    void cancel() { progress_.cancelled = true; }

    /// Must not be called while busy. An exception of `work` becomes the result.
    void start(std::function<ExportOutcome(WriteProgress&)> work);

    /// Returns the result of a finished export, once.
    std::optional<ExportOutcome> poll();

  private:
    WriteProgress progress_;
    std::future<ExportOutcome> writing_;
};

}  // namespace stencil
