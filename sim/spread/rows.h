// Rows of fields between process 0 and the parts, and between all of them and files.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/view/statistics/statistics.h"
#include "sim/field/row_source.h"
#include "sim/machine/team.h"
#include "sim/spread/packet.h"
#include "sim/spread/partition.h"

namespace stencil {

/// Some fields of a source, as each process gets them: the first one's place among them.
struct GivenRows {
    std::shared_ptr<const RowSource> rows;
    std::size_t first = 0;
};

/// From the recipe, where all of them can read it; else null at all.
std::shared_ptr<const RowSource> read_everywhere(Team& team, const std::string& recipe);

/// Some fields of a source that process 0 has, as the last of a packet; and what each part gets of them: the
/// recipe, or where they are not all able to read it its own rows, which process 0 sends.
Packet& put_rows(Packet& packet, const RowSource& source, std::size_t first, std::size_t count);
GivenRows take_rows(Team& team, const Partition& partition, Packet& packet, const RowSource* source);

/// The whole fields at process 0, nothing at the others.
std::vector<Field> gather_rows(Team& team, const Partition& partition, std::vector<Field> own);

/// A process's rows of a field, from `first` on, and what gives them to a sink.
struct OwnRows {
    int nx = 0, ny = 0;  ///< of the field
    int first = 0;
    std::function<void(const RowSink&)> give;
    DType dtype = DType::float32;  ///< where it has no rows that say so
};

struct RowsSeen {
    std::string hash;  ///< field_hash()
    Statistics statistics;
    std::string trouble;  ///< of the first process that has any
};
/// Each its own rows.
RowsSeen look_together(Team& team, const OwnRows& own);
RowsSeen look_alone(const RowSource& source, std::size_t field);

struct WrittenRows {
    std::string hash;     ///< field_hash()
    std::string trouble;  ///< of the first process that has any
};
/// Into a file of process 0: each its own rows, through process 0 where the file is not seen.
WrittenRows write_together(Team& team, const std::string& file, const OwnRows& own);

}  // namespace stencil
