// A list whose copies share their items, for what a long run records.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace stencil {

/// Copies cost nothing. The list that made the items appends to them in place, beyond what its copies can
/// see, even while other threads read these; any other change of shared items copies them first.
template <class T>
class SharedList {
  public:
    SharedList() = default;
    SharedList(std::initializer_list<T> items) : SharedList(std::vector<T>(items)) {}
    SharedList(std::vector<T> items) { put(std::move(items)); }
    SharedList(const SharedList& other) : items_(other.items_), size_(other.size_), shared_(true) {
        other.mark_shared();
    }
    SharedList(SharedList&& other) noexcept { swap(other); }
    SharedList& operator=(SharedList other) noexcept {
        swap(other);
        return *this;
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    const T* begin() const { return items_ ? items_->data() : nullptr; }
    const T* end() const { return begin() + size_; }
    const T& operator[](std::size_t i) const { return begin()[i]; }
    const T& at(std::size_t i) const {
        if (i >= size_) throw std::out_of_range("SharedList::at");
        return begin()[i];
    }
    const T& front() const { return begin()[0]; }
    const T& back() const { return begin()[size_ - 1]; }
    friend bool operator==(const SharedList& a, const SharedList& b) { return std::ranges::equal(a, b); }

    void push_back(T item) {
        if (!owner_ || items_->size() != size_ || items_->capacity() == size_) {
            std::vector<T> more;
            more.reserve(std::max<std::size_t>(16, 2 * size_));
            more.assign(begin(), end());
            put(std::move(more));
        }
        items_->push_back(std::move(item));
        ++size_;
    }

    /// Calls `change` with the items as a vector.
    template <class Change>
    void modify(Change change) {
        std::vector<T> items = owner_ && !shared_ ? std::move(*items_) : std::vector<T>(begin(), end());
        change(items);
        put(std::move(items));
    }

    /// The items up to and including this step, by which they are ordered.
    SharedList until(long long step) const {
        SharedList some = *this;
        some.size_ = std::size_t(std::ranges::upper_bound(*this, step, {}, &T::step) - begin());
        return some;
    }

  private:
    void put(std::vector<T> items) {
        size_ = items.size();
        items_ = std::make_shared<std::vector<T>>(std::move(items));
        owner_ = true;
        shared_ = false;
    }
    void swap(SharedList& other) noexcept {
        std::swap(items_, other.items_);
        std::swap(size_, other.size_);
        std::swap(owner_, other.owner_);
        std::swap(shared_, other.shared_);
    }
    // A flag instead of use_count(), which would need a fence against owners in other threads.
    void mark_shared() const {
        if (!shared_) shared_ = true;
    }

    std::shared_ptr<std::vector<T>> items_;
    std::size_t size_ = 0;
    bool owner_ = false;
    mutable bool shared_ = false;
};

}  // namespace stencil
