// Serialisation: values are read in the order in which they were written.
#pragma once

#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "sim/machine/communicator.h"

namespace stencil {

class Packet {
  public:
    Packet() = default;
    explicit Packet(Bytes bytes) : bytes_(std::move(bytes)) {}

    template <class V>
    Packet& put(const V& value) requires std::is_trivially_copyable_v<V> {
        return put_bytes(&value, sizeof(V));
    }
    template <class V>
    Packet& put(const std::vector<V>& values) {
        put(values.size());
        return put_bytes(values.data(), values.size() * sizeof(V));
    }
    Packet& put(const std::string& text) {
        put(text.size());
        return put_bytes(text.data(), text.size());
    }

    template <class V>
    V get() {
        if constexpr (std::is_trivially_copyable_v<V>) {
            V value;
            take(&value, sizeof(V));
            return value;
        } else {
            V values(get<std::size_t>(), typename V::value_type());
            take(values.data(), values.size() * sizeof(typename V::value_type));
            return values;
        }
    }

    Bytes& bytes() { return bytes_; }

  private:
    Packet& put_bytes(const void* data, std::size_t count) {
        const auto* from = static_cast<const std::byte*>(data);
        bytes_.insert(bytes_.end(), from, from + count);
        return *this;
    }
    void take(void* to, std::size_t count) {
        if (count > bytes_.size() - at_) throw std::logic_error("a message that is too short");
        if (count > 0) std::memcpy(to, bytes_.data() + at_, count);
        at_ += count;
    }

    Bytes bytes_;
    std::size_t at_ = 0;
};

/// Gathers one value per process at all processes. Collective.
template <class V>
std::vector<V> gather_values(Communicator& comm, const V& own, std::size_t bytes_before = 0) {
    std::vector<V> all;
    for (Bytes& bytes : comm.gather(Packet().put(own).bytes(), bytes_before))
        all.push_back(Packet(std::move(bytes)).get<V>());
    return all;
}

/// A barrier. Collective.
inline void meet(Communicator& comm) {
    std::uint64_t nothing = 0;
    comm.sum({&nothing, 1});
}

}  // namespace stencil
