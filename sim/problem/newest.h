// Results that take long to make and that many runs ask for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace stencil {

/// Keeps the results that were asked for last. Several threads may ask at a time; all that have one key get
/// one result.
template <class Key, class Value>
class Newest {
  public:
    explicit Newest(std::size_t most) : most_(most) {}

    /// `make` returns a shared_ptr; it may be called although another thread makes the same.
    template <class Make>
    std::shared_ptr<const Value> get(const Key& key, const Make& make) {
        {
            const std::lock_guard lock(mutex_);
            if (auto known = find(key)) return known;
        }
        std::shared_ptr<const Value> made = make();
        const std::lock_guard lock(mutex_);
        if (auto known = find(key)) return known;
        if (kept_.size() == most_) kept_.erase(kept_.begin());
        kept_.emplace_back(key, made);
        return made;
    }

  private:
    std::shared_ptr<const Value> find(const Key& key) {
        const auto found =
            std::ranges::find(kept_, key, &std::pair<Key, std::shared_ptr<const Value>>::first);
        if (found == kept_.end()) return nullptr;
        std::rotate(found, found + 1, kept_.end());
        return kept_.back().second;
    }

    std::size_t most_;
    std::mutex mutex_;
    std::vector<std::pair<Key, std::shared_ptr<const Value>>> kept_;  ///< the one asked for last behind
};

}  // namespace stencil
