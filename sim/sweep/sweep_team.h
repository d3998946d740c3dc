// Several processes make the runs of a sweep.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "sim/machine/communicator.h"
#include "sim/sweep/sweep.h"
#include "sim/sweep/sweep_store.h"

namespace stencil {

using FoundRuns = std::vector<std::pair<std::size_t, SweptRun>>;

/// Process 0 has the sweep and its files. This class gives each process, 0 among them, its next runs, and
/// tells the sweep what the others have found. A process without others makes all runs.
class SweepTeam {
  public:
    /// The others begin. `asked` is the sweep as its user gave it; `store` may be null.
    SweepTeam(Sweep& sweep, const SweepSpec& asked, SweepStore* store);
    /// The others give up the runs that have not ended.
    ~SweepTeam();

    /// Takes over what the others have found, and gives the sweep its next runs; waits a moment if there are
    /// none. Throws FileError if the store could not keep fields.
    void exchange();
    /// Ends the others' part, and takes over what they have found.
    void finish();

  private:
    void listen();
    void keep_fields(std::size_t run, int from);
    std::vector<std::size_t> next_runs(std::size_t room);
    void dismiss();

    Communicator& all_ = Communicator::all();
    Sweep& sweep_;
    SweepStore* store_;
    std::mutex mutex_;  ///< of all below
    std::condition_variable news_;
    std::vector<std::size_t> waiting_;  ///< runs that no process has, the next one at the end
    std::size_t share_;                 ///< the most runs that a process gets at a time
    FoundRuns found_;
    bool ends_ = false;
    std::exception_ptr trouble_;
    std::thread listener_;  ///< answers the others
};

}  // namespace stencil
