// Transfer of rows between process 0, the other processes, and files.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/view/statistics/statistics.h"
#include "sim/distributed/packet.h"
#include "sim/distributed/partition.h"
#include "sim/field/row_source.h"
#include "sim/machine/communicator.h"

namespace stencil {

/// Fields of a source as a process receives them; `first` is the index of the first one.
struct GivenRows {
    std::shared_ptr<const RowSource> rows;
    std::size_t first = 0;
};

/// Opens the recipe if all processes can read it; else null on all. Collective.
std::shared_ptr<const RowSource> read_everywhere(Communicator& comm, const std::string& recipe);

/// Fields of a source on process 0, described for all processes.
struct OfferedRows {
    std::string recipe;  ///< empty: only process 0 has the rows
    int nx = 0;
    std::size_t first = 0;
    std::vector<DType> dtypes;
    OnFirst<RowSource> source;
};
OfferedRows offered(const RowSource& source, std::size_t first, std::size_t count);
inline auto parts_of(OfferedRows& rows) {
    return std::tie(rows.recipe, rows.nx, rows.first, rows.dtypes, rows.source);
}
/// The fields, generated from the recipe if all processes can read it, else as local rows sent by process 0.
/// Collective.
GivenRows take_rows(Communicator& comm, const Partition& partition, const OfferedRows& offered);

/// Gathers whole fields at process 0; empty elsewhere.
std::vector<Field> gather_rows(Communicator& comm, const Partition& partition, std::vector<Field> own);

/// A process's rows of a field, beginning with row `first`; `give` passes them to a sink.
struct OwnRows {
    int nx = 0, ny = 0;  ///< of the whole field
    int first = 0;
    std::function<void(const RowSink&)> give;
    DType dtype = DType::float32;  ///< needed if there are no rows
};

/// Combines the sums of all processes' rows.
PartialStatistics joined(Communicator& comm, const PartialStatistics& own);

struct RowsSeen {
    std::string hash;  ///< field_hash()
    Statistics statistics;
    std::string trouble;  ///< from the first process that reports any
};
/// Hash and statistics of a field from every process's rows. Collective.
RowsSeen look_together(Communicator& comm, const OwnRows& own);
RowsSeen look_alone(const RowSource& source, std::size_t field);

struct WrittenRows {
    std::string hash;     ///< field_hash()
    std::string trouble;  ///< from the first process that reports any
};
/// Writes a file at process 0: each process its own rows, or through process 0 if it cannot see the file.
/// Collective.
WrittenRows write_together(Communicator& comm, const std::string& file, const OwnRows& own);

}  // namespace stencil
