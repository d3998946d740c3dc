// Computes the images and measurements that the window requested.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "sim/field/pixels.h"
#include "sim/run/simulation.h"
#include "sim/session/engine/cadence.h"
#include "sim/session/view.h"

namespace stencil {

class Mosaic;
struct FitView;
namespace fitting {
struct FieldResidual;
}

/// Reuses the memory of pixels: take() returns pixels with undefined contents, which return to the pool when
/// their last holder, on any thread, releases them. They may outlive the pool.
class PixelPool {
  public:
    std::shared_ptr<Pixels> take() {
        std::unique_ptr<Pixels> pixels;
        {
            const std::lock_guard lock(shelf_->mutex);
            if (!shelf_->free.empty()) {
                pixels = std::move(shelf_->free.back());
                shelf_->free.pop_back();
            }
        }
        if (!pixels) pixels = std::make_unique<Pixels>();
        return {pixels.release(), [shelf = shelf_](Pixels* p) {
                    std::unique_ptr<Pixels> back(p);
                    const std::lock_guard lock(shelf->mutex);
                    if (shelf->free.size() < kMaxFree) shelf->free.push_back(std::move(back));
                }};
    }

  private:
    static constexpr std::size_t kMaxFree = 6;

    struct Shelf {
        std::mutex mutex;
        std::vector<std::unique_ptr<Pixels>> free;
    };
    std::shared_ptr<Shelf> shelf_ = std::make_shared<Shelf>();
};

/// The state to be shown.
struct Moment {
    Simulation* simulation = nullptr;
    Simulation* reference = nullptr;                ///< the same run in float64; null: none
    Simulation* run_b = nullptr;                    ///< null: none
    Mosaic* mosaic = nullptr;                       ///< null: none
    const FitView* fit = nullptr;                   ///< null: none
    const State* bookmark = nullptr;                ///< of the present size and model; null: none
    const SharedList<MeasuredRow>* rows = nullptr;  ///< measured up to now
    std::uint64_t version = 0;                      ///< changes with the field
    bool mid_batch = false;                         ///< more steps of this batch will follow
    bool exact = false;  ///< measure everything anew, for example because the run is paused
};

class FrameMaker {
  public:
    /// Throws MachineError and CudaError if a pane does not fit into memory.
    std::shared_ptr<const Frame> make(const ViewRequest& request, const Moment& moment);

    /// Call it after the simulation was replaced: drops everything cached.
    void forget();

    /// Seconds spent on the newest frame.
    double resampling_seconds() const { return resampling_seconds_; }
    double measuring_seconds() const { return measuring_seconds_; }
    /// Whether parts of the newest frame were reused to save time, so that a pause needs another frame.
    bool stale() const { return stale_; }

  private:
    // A cached range, and what it was computed for.
    struct KnownRange {
        RangeRule rule;
        bool centred = false;
        std::uint64_t version = 0;
        ValueRange range;
        Cadence cadence;
        bool known = false;
    };
    // A measurement that may be some frames old.
    template <class Value>
    struct Cached {
        std::optional<Value> value;
        Cadence cadence;
    };
    template <class Value, class Measure>
    const Value& updated(Cached<Value>& cached, const Moment& moment, const Measure& measure);
    enum class Base { none, start, reference, bookmark };

    std::shared_ptr<const Pixels> known_pixels(const PaneRequest& request,
                                               bool on_host,
                                               std::uint64_t version) const;
    std::shared_ptr<const Pixels> resample(const PaneRequest& request, bool to_host, Simulation& simulation);
    PaneImage make_pane(const PaneRequest& request, const Moment& moment);
    std::shared_ptr<const Pixels> draw_rows(const Moment& moment, PaneImage& image);
    ValueRange range_for(Pane pane, const Moment& moment, const std::string& colormap);
    void add_mosaic(const PaneRequest& request, const Moment& moment, Frame& frame);
    void add_fit(const PaneRequest& request,
                 const fitting::FieldResidual& shown,
                 const RunSpec& looks,
                 Frame& frame);
    void set_base(Base base, const Moment& moment);
    void compare(const Moment& moment, Frame& frame);
    std::shared_ptr<const ShapeOutline> outline_of(const ResampleRequest& request, const Moment& moment);
    void add_measures(const ViewRequest& request, const Moment& moment, Frame& frame);

    PixelPool pool_;
    std::array<KnownRange, kPaneKinds> ranges_;
    Base base_ = Base::none;
    const void* base_start_ = nullptr;
    std::string base_shown_;
    const Solver* base_solver_ = nullptr;
    Cached<Histogram> histogram_;
    Cached<std::shared_ptr<const RadialSpectrum>> spectrum_;
    Cached<std::shared_ptr<const PhasePlane>> plane_;
    Cached<Comparison> comparison_;
    struct KnownOutline {
        ResampleRequest request;
        std::uint64_t version = 0;  ///< 0 for a shape that stands still
        std::shared_ptr<const Model> model;
        std::vector<double> parameters;
        std::shared_ptr<const ShapeOutline> outline;
    };
    KnownOutline outline_;
    std::uint64_t count_ = 0;
    std::shared_ptr<const Frame> newest_;
    std::uint64_t newest_version_ = 0;
    bool newest_on_host_ = false;
    double resampling_seconds_ = 0;
    double measuring_seconds_ = 0;
    bool stale_ = false;
};

/// Returns what a pane shows of a solver.
Observable observable_of(Pane pane, const RunSpec& spec);

}  // namespace stencil
