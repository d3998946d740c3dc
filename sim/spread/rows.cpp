#include "sim/spread/rows.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace stencil {
namespace {

std::size_t bytes_of_rows(const Field& field, int rows) {
    return std::size_t(field.nx()) * std::size_t(rows) * bytes_of(field.dtype());
}

template <class F>
auto* cells_from(F& field, int row) {
    return field.visit([&](auto& cells) -> std::conditional_t<std::is_const_v<F>, const void*, void*> {
        return cells.view().row(row);
    });
}

void copy_bytes(const void* from, void* to, std::size_t count) {
    std::copy_n(static_cast<const std::byte*>(from), count, static_cast<std::byte*>(to));
}

}  // namespace

std::vector<Field> scatter_rows(Team& team, const Partition& partition, const WholeFields& whole) {
    std::vector<Field> own;
    for (std::size_t i = 0; i < whole.count; ++i) {
        Field& rows = own.emplace_back(whole.dtype, whole.nx, partition.own_rows(team.rank()));
        if (team.rank() > 0) {
            team.receive(cells_from(rows, 0), bytes_of_rows(rows, rows.ny()), 0);
            continue;
        }
        const Field& all = whole.fields[i];
        for (int to = 1; to < partition.parts; ++to)
            team.send(cells_from(all, partition.begin(to)), bytes_of_rows(all, partition.own_rows(to)), to);
        copy_bytes(cells_from(all, 0), cells_from(rows, 0), bytes_of_rows(rows, rows.ny()));
    }
    return own;
}

std::vector<Field> gather_rows(Team& team, const Partition& partition, std::vector<Field> own) {
    std::vector<Field> whole;
    for (Field& rows : own) {
        if (team.rank() > 0) {
            team.send(cells_from(std::as_const(rows), 0), bytes_of_rows(rows, rows.ny()), 0);
            continue;
        }
        Field& all = whole.emplace_back(rows.dtype(), rows.nx(), partition.rows);
        copy_bytes(cells_from(rows, 0), cells_from(all, 0), bytes_of_rows(rows, rows.ny()));
        for (int from = 1; from < partition.parts; ++from)
            team.receive(
                cells_from(all, partition.begin(from)), bytes_of_rows(all, partition.own_rows(from)), from);
    }
    return whole;
}

}  // namespace stencil
