// Rows of fields between process 0, which has them whole, and the parts.
#pragma once

#include <span>
#include <vector>

#include "sim/field/field.h"
#include "sim/machine/team.h"
#include "sim/spread/partition.h"

namespace stencil {

/// Fields of process 0, which alone has any, and what all know of them.
struct WholeFields {
    std::span<const Field> fields;
    std::size_t count = 0;
    DType dtype = DType::float32;
    int nx = 0;
};

/// Each part's own rows.
std::vector<Field> scatter_rows(Team& team, const Partition& partition, const WholeFields& whole);

/// The whole fields at process 0, nothing at the others.
std::vector<Field> gather_rows(Team& team, const Partition& partition, std::vector<Field> own);

}  // namespace stencil
