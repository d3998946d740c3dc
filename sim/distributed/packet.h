// Serialisation: values are read in the order in which they were written.
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/machine/communicator.h"

namespace stencil {

/// A value that only process 0 has; null elsewhere.
template <class V>
struct OnFirst {
    const V* value = nullptr;
};

// parts_of() lists the members of a structure that are sent one by one.
template <class V>
auto parts_of(OnFirst<V>&) {
    return std::tie();
}
template <class A, class B>
auto parts_of(std::pair<A, B>& pair) {
    return std::tie(pair.first, pair.second);
}

class Packet {
  public:
    Packet() = default;
    explicit Packet(Bytes bytes) : bytes_(std::move(bytes)) {}

    /// Takes structures with parts_of(), values that can be copied as bytes, and lists of either.
    template <class V>
    Packet& put(const V& value) {
        if constexpr (requires(V & own) { parts_of(own); }) {
            std::apply([&](const auto&... part) { (put(part), ...); }, parts_of(const_cast<V&>(value)));
        } else if constexpr (std::is_trivially_copyable_v<V>) {
            put_bytes(&value, sizeof(V));
        } else {
            put(value.size());
            if constexpr (std::is_trivially_copyable_v<typename V::value_type>)
                put_bytes(value.data(), value.size() * sizeof(typename V::value_type));
            else
                for (const auto& each : value) put(each);
        }
        return *this;
    }

    template <class V>
    V get() {
        V value;
        get(value);
        return value;
    }

    Bytes& bytes() { return bytes_; }

  private:
    template <class V>
    void get(V& value) {
        if constexpr (requires { parts_of(value); }) {
            std::apply([&](auto&... part) { (get(part), ...); }, parts_of(value));
        } else if constexpr (std::is_trivially_copyable_v<V>) {
            take(&value, sizeof(V));
        } else {
            value.resize(get<std::size_t>());
            if constexpr (std::is_trivially_copyable_v<typename V::value_type>)
                take(value.data(), value.size() * sizeof(typename V::value_type));
            else
                for (auto& each : value) get(each);
        }
    }

    void put_bytes(const void* data, std::size_t count) {
        bytes_.resize(bytes_.size() + count);
        if (count > 0) std::memcpy(bytes_.data() + bytes_.size() - count, data, count);
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
