// The same run in float64 from its start: the difference from it is the error of what runs.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "sim/run/simulation.h"

namespace stencil {

/// The run's size or precision changed on its way.
bool is_reshaped(const EditList& edits);

/// What a run starts from; it may refuse to make it.
using StartMaker = std::function<std::shared_ptr<const RowSource>(RunSpec&)>;

/// The state from which the run of the simulation's spec started, before any edit.
std::shared_ptr<const RowSource> origin_of(const Simulation& simulation, const StartMaker& make);

class Reference {
  public:
    bool missing() const { return !run_ && !refused_; }
    bool behind(long long step) const { return run_ && run_->step() < step; }
    Simulation* run() const { return run_.get(); }

    /// By the fastest method of the device, or by the run's own where that jumps. Throws where it cannot be
    /// made; then it is missing no more.
    void make(const Simulation& of, const StartMaker& make_start);
    /// A slice of the steps up to this one.
    void catch_up(long long step);
    /// What is done to the run at this step.
    void follow(long long step, const std::string& setting, const std::string& value);

    /// None is made until it is released.
    void refuse() {
        run_.reset();
        refused_ = true;
    }
    /// It begins again.
    void forget() { run_.reset(); }
    /// It is not seen any more.
    void release() { *this = {}; }

  private:
    std::unique_ptr<Simulation> run_;
    bool refused_ = false;
};

}  // namespace stencil
