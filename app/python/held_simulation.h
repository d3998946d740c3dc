// A simulation as Python holds it: one that several threads may use, and that works without the interpreter's
// lock.
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

/// Settings by their names, as they would be typed.
using Words = std::vector<std::pair<std::string, std::string>>;

/// A lock that is given in the order in which it was asked for: a long run, which frees it after each slice,
/// keeps nobody waiting for its end.
class FairLock {
  public:
    void lock();
    void unlock();

  private:
    std::mutex mutex_;
    std::condition_variable next_;
    unsigned long long tickets_ = 0, serving_ = 0;
};

/// Every function takes the lock, and lets go of Python's before. They throw what Simulation's throw.
class HeldSimulation {
  public:
    /// `spec` is a ready run's name or a file, or empty; `start` has arrays of shape (ny, nx) by the names of
    /// components, "" being the first. They say the size, and the precision unless a word does.
    HeldSimulation(const std::string& spec, const Words& words, const nb::dict& start);
    /// From the checkpoint in a folder.
    explicit HeldSimulation(const std::string& folder);
    /// A process that was forked has none of the threads, and leaves the simulation where it is.
    ~HeldSimulation();
    HeldSimulation(const HeldSimulation&) = delete;
    HeldSimulation& operator=(const HeldSimulation&) = delete;

    /// Slice by slice: between two the interpreter handles signals, and `progress`, unless it is None, is
    /// called with the steps done and all of them. What either raises ends it, with the steps done until
    /// then.
    void advance(long long steps, const nb::object& progress);
    void set(const std::string& name, const std::string& value);
    void reset();

    /// A copy of a component or another formula; empty: of what is shown. On CUDA it stays on the device
    /// unless `numpy`.
    nb::object field(const std::string& formula, bool laplacian, bool numpy);
    Statistics statistics(const std::string& formula);

    /// timings.json, and the settings now and those that repeat the run, as spec.json has them.
    std::string timings();
    std::string settings(bool from_start);

    void write_figure(const std::string& path);
    /// The names of the files written.
    std::vector<std::string> write_files(const std::string& folder, const std::vector<std::string>& names);
    void write_checkpoint(const std::string& folder);
    /// A PNG with a panel for each component.
    nb::bytes picture();

    long long step();
    std::vector<std::string> components();
    std::map<std::string, double> parameters();

  private:
    class Working;
    long long advance_slice(long long left, bool first);
    /// An empty formula stands for the one that is shown.
    Observable observable(const std::string& formula, Quantity quantity = Quantity::value) const;
    RunOutput output();

    FairLock lock_;
    std::unique_ptr<Simulation> simulation_;
    pid_t process_;
};

}  // namespace stencil::python
