// A vector whose copies share its elements until one of them changes.
#pragma once

#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace stencil {

/// For lists that are published in every frame and kept in every entry for undo. Copies may be read by other
/// threads; own() copies the elements if another copy may share them.
template <class T>
class SharedVector {
  public:
    SharedVector() = default;
    SharedVector(std::initializer_list<T> elements) : SharedVector(std::vector<T>(elements)) {}
    SharedVector(std::vector<T> elements)
        : elements_(std::make_shared<std::vector<T>>(std::move(elements))) {}
    SharedVector(const SharedVector& other) : elements_(other.elements_), shared_(true) {
        if (!other.shared_) other.shared_ = true;
    }
    SharedVector(SharedVector&&) = default;
    SharedVector& operator=(const SharedVector& other) { return *this = SharedVector(other); }
    SharedVector& operator=(SharedVector&&) = default;

    std::size_t size() const { return elements_->size(); }
    bool empty() const { return elements_->empty(); }
    const T* begin() const { return elements_->data(); }
    const T* end() const { return begin() + size(); }
    const T& operator[](std::size_t i) const { return (*elements_)[i]; }
    const T& at(std::size_t i) const { return elements_->at(i); }
    const T& front() const { return elements_->front(); }
    const T& back() const { return elements_->back(); }
    operator const std::vector<T>&() const { return *elements_; }

    /// The elements for modification.
    std::vector<T>& own() {
        if (shared_) elements_ = std::make_shared<std::vector<T>>(*elements_);
        shared_ = false;
        return *elements_;
    }

  private:
    std::shared_ptr<std::vector<T>> elements_ = std::make_shared<std::vector<T>>();
    // A flag instead of use_count(), which would need a fence against owners in other threads.
    mutable bool shared_ = false;
};

}  // namespace stencil
