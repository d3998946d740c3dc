// A simulation as Python holds it: usable from several threads, and run with the GIL released.
#pragma once

#include <nanobind/nanobind.h>
#include <sys/types.h>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "sim/run/output/exports.h"
#include "sim/run/simulation.h"

namespace stencil::python {

namespace nb = nanobind;

/// Settings as pairs of name and text, as typed on the command line.
using Words = std::vector<std::pair<std::string, std::string>>;

/// A first-come, first-served lock: a long run unlocks after each slice, so other threads get their turn.
class FairLock {
  public:
    void lock();
    void unlock();

  private:
    std::mutex mutex_;
    std::condition_variable next_;
    unsigned long long tickets_ = 0, serving_ = 0;
};

/// Each method releases the GIL and takes the lock. They throw what Simulation throws.
class HeldSimulation {
  public:
    /// `spec` names a ready run or a file, or is empty. `start` maps component names ("" is the first) to
    /// arrays of shape (ny, nx), which determine the size, and the precision unless a word sets it.
    HeldSimulation(const std::string& spec, const Words& words, const nb::dict& start);
    /// Resumes from the checkpoint in a folder.
    explicit HeldSimulation(const std::string& folder);
    /// In a forked child the threads do not exist, so the simulation is leaked instead of destroyed.
    ~HeldSimulation();
    HeldSimulation(const HeldSimulation&) = delete;
    HeldSimulation& operator=(const HeldSimulation&) = delete;

    /// Advances slice by slice. Between slices Python handles signals, and `progress`, unless None, is called
    /// with the steps done and the total. An exception from either stops the run at that step.
    void advance(long long steps, const nb::object& progress);
    void set(const std::string& name, const std::string& value);
    void reset();

    /// Copies a component or a formula; an empty formula means the one that is shown. With CUDA the result
    /// stays on the device unless `numpy`.
    nb::object field(const std::string& formula, bool laplacian, bool numpy);
    Statistics statistics(const std::string& formula);

    /// Return timings.json and spec.json: `from_start`, what repeats the run; else the present settings.
    std::string timings();
    std::string settings(bool from_start);

    void write_figure(const std::string& path);
    /// Writes exports and returns their file names.
    std::vector<std::string> write_files(const std::string& folder, const std::vector<std::string>& names);
    void write_checkpoint(const std::string& folder);
    /// Returns a PNG with one panel per component.
    nb::bytes picture();

    long long step();
    std::vector<std::string> components();
    std::map<std::string, double> parameters();

  private:
    class Working;
    long long advance_slice(long long left, bool first);
    /// An empty formula means the one that is shown.
    Observable observable(const std::string& formula, Quantity quantity = Quantity::value) const;
    RunOutput output();

    FairLock lock_;
    std::unique_ptr<Simulation> simulation_;
    pid_t process_;
};

}  // namespace stencil::python
