// Reuses the memory of pixels.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "sim/field/pixels.h"

namespace stencil {

/// take() returns pixels with undefined contents, which return to the pool when their last holder, on any
/// thread, releases them. They may outlive the pool.
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

}  // namespace stencil
