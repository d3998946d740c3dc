#include "sim/distributed/rows.h"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <type_traits>
#include <utility>

#include "sim/field/field_hash.h"
#include "sim/files/npy_rows.h"
#include "sim/problem/start.h"
#include "sim/text/error.h"

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

// Header of rows sent to process 0; rows = 0 ends the transfer.
struct RowsAhead {
    int first = 0, rows = 0;
    DType dtype = DType::float32;
};

void send_rows(Communicator& comm, int first, const Field& rows) {
    const RowsAhead ahead{first, rows.ny(), rows.dtype()};
    comm.send(&ahead, sizeof(ahead), 0);
    comm.send(cells_from(rows, 0), bytes_of_rows(rows, rows.ny()), 0);
}

// Splits pieces of any size into messages of bounded size.
RowSink sending_to_first(Communicator& comm) {
    return [&comm](int first, const Field& rows) {
        const FieldRows source({&rows});
        for_pieces(
            source, 0, 0, rows.ny(), [&](int y, const Field& piece) { send_rows(comm, first + y, piece); });
    };
}

void receive_rows(Communicator& comm, int from, int nx, const RowSink& sink) {
    for (RowsAhead ahead;;) {
        comm.receive(&ahead, sizeof(ahead), from);
        if (ahead.rows == 0) return;
        Field piece(ahead.dtype, nx, ahead.rows);
        comm.receive(cells_from(piece, 0), bytes_of_rows(piece, ahead.rows), from);
        sink(ahead.first, piece);
    }
}

template <class Act>
void note_trouble(std::string& trouble, const Act& act) {
    if (!trouble.empty()) return;
    try {
        act();
    } catch (const std::system_error& error) {
        trouble = error.code().message();
    }
}

struct Look {
    explicit Look(const OwnRows& own) : dtype(own.dtype) {
        try {
            own.give([&](int first, const Field& rows) {
                dtype = rows.dtype();
                std::ranges::copy(row_hashes(rows), std::back_inserter(hashes));
                sums.append(partial_statistics(rows, own.first + first));
            });
        } catch (const InputError& error) {
            trouble = error.what();
        }
    }

    std::vector<std::uint64_t> hashes;
    PartialStatistics sums;
    DType dtype;
    std::string trouble;
};

std::size_t bytes_of_all(const OwnRows& own) {
    return std::size_t(own.nx) * std::size_t(own.ny) * sizeof(double);
}

// The first text that is not empty; empty if all are.
std::string first_text(const std::vector<std::string>& texts) {
    const auto first = std::ranges::find_if(texts, [](const auto& text) { return !text.empty(); });
    return first == texts.end() ? "" : *first;
}

std::string joined(Communicator& comm, const std::vector<std::uint64_t>& own, DType dtype, int nx) {
    std::vector<std::uint64_t> all;
    for (const auto& each : gather_values(comm, own)) std::ranges::copy(each, std::back_inserter(all));
    return field_hash(dtype, nx, all);
}

}  // namespace

std::shared_ptr<const RowSource> read_everywhere(Communicator& comm, const std::string& recipe) {
    std::shared_ptr<const RowSource> own;
    try {
        if (!recipe.empty()) own = read_recipe(recipe);
    } catch (const InputError&) {
        // The file is not visible to this process.
    }
    const auto all = gather_values(comm, char(own ? 1 : 0));
    return std::ranges::all_of(all, [](char each) { return each != 0; }) ? own : nullptr;
}

OfferedRows offered(const RowSource& source, std::size_t first, std::size_t count) {
    const auto begin = source.dtypes().begin() + std::ptrdiff_t(first);
    return {source.recipe(), source.nx(), first, {begin, begin + std::ptrdiff_t(count)}, {&source}};
}

GivenRows take_rows(Communicator& comm, const Partition& partition, const OfferedRows& offered) {
    const auto& [recipe, nx, first, dtypes, on_first] = offered;
    const RowSource* source = on_first.value;
    const int rank = comm.rank();
    if (!recipe.empty())
        if (auto own = read_everywhere(comm, recipe)) return {own, first};
    if (rank == 0) {
        for (int to = 1; to < partition.parts; ++to)
            for (std::size_t i = 0; i < dtypes.size(); ++i)
                for_pieces(*source,
                           first + i,
                           partition.begin(to),
                           partition.local_rows(to),
                           [&](int, const Field& piece) {
                               comm.send(cells_from(piece, 0), bytes_of_rows(piece, piece.ny()), to);
                           });
        return {std::shared_ptr<const RowSource>(std::shared_ptr<void>(), source), first};
    }
    auto own = std::make_shared<State>();
    for (const DType dtype : dtypes) {
        Field& field = own->components.emplace_back(dtype, nx, partition.local_rows(rank));
        for (int y = 0, most = rows_at_a_time(nx); y < field.ny(); y += most) {
            const int rows = std::min(most, field.ny() - y);
            comm.receive(cells_from(field, y), bytes_of_rows(field, rows), 0);
        }
    }
    return {std::make_shared<StateRows>(std::move(own), partition.begin(rank), partition.rows)};
}

std::vector<Field> gather_rows(Communicator& comm, const Partition& partition, std::vector<Field> own) {
    std::vector<Field> whole;
    for (Field& rows : own) {
        if (comm.rank() > 0) {
            comm.send(cells_from(std::as_const(rows), 0), bytes_of_rows(rows, rows.ny()), 0);
            continue;
        }
        Field& all = whole.emplace_back(rows.dtype(), rows.nx(), partition.rows);
        copy_bytes(cells_from(rows, 0), cells_from(all, 0), bytes_of_rows(rows, rows.ny()));
        for (int from = 1; from < partition.parts; ++from)
            comm.receive(
                cells_from(all, partition.begin(from)), bytes_of_rows(all, partition.local_rows(from)), from);
    }
    return whole;
}

PartialStatistics joined(Communicator& comm, const PartialStatistics& own) {
    PartialStatistics all;
    for (const PartialStatistics& each : gather_values(comm, own)) all.append(each);
    return all;
}

RowsSeen look_together(Communicator& comm, const OwnRows& own) {
    const Look look(own);
    RowsSeen seen;
    seen.trouble = first_text(gather_values(comm, look.trouble, bytes_of_all(own)));
    if (!seen.trouble.empty()) return seen;
    seen.statistics = joined(comm, look.sums).statistics();
    seen.hash = joined(comm, look.hashes, look.dtype, own.nx);
    return seen;
}

RowsSeen look_alone(const RowSource& source, std::size_t field) {
    const Look look({source.nx(), source.ny(), 0, [&](const RowSink& sink) {
                         for_pieces(source, field, 0, source.ny(), sink);
                     }});
    if (!look.trouble.empty()) return {"", {}, look.trouble};
    return {field_hash(look.dtype, source.nx(), look.hashes), look.sums.statistics(), ""};
}

WrittenRows write_together(Communicator& comm, const std::string& file, const OwnRows& own) {
    std::unique_ptr<NpyWriter> npy;
    try {
        npy = std::make_unique<NpyWriter>(file, own.nx, own.ny);
    } catch (const std::system_error&) {
        // This host does not share the file system.
    }
    const auto sees_file = gather_values(comm, char(npy ? 1 : 0));
    if (!sees_file.front()) return {"", "it cannot be opened"};
    std::string trouble;
    std::vector<std::uint64_t> hashes;
    DType dtype = own.dtype;
    const auto give = [&](const RowSink& sink) {
        own.give([&](int first, const Field& rows) {
            dtype = rows.dtype();
            std::ranges::copy(row_hashes(rows), std::back_inserter(hashes));
            sink(own.first + first, rows);
        });
    };
    if (npy) {
        const RowSink write = [&](int first, const Field& rows) { npy->write(first, rows); };
        note_trouble(trouble, [&] { give(write); });
        if (comm.rank() == 0) {
            note_trouble(trouble, [&] { npy->write_header(dtype); });
            for (int from = 1; from < comm.size(); ++from)
                if (!sees_file[std::size_t(from)])
                    receive_rows(comm, from, own.nx, [&](int first, const Field& rows) {
                        note_trouble(trouble, [&] { write(first, rows); });
                    });
        }
        note_trouble(trouble, [&] {
            npy->sync();
            npy->close();
        });
    } else {
        give(sending_to_first(comm));
        const RowsAhead none;
        comm.send(&none, sizeof(none), 0);
    }
    if (const auto why = first_text(gather_values(comm, trouble, bytes_of_all(own))); !why.empty())
        return {"", why};
    return {joined(comm, hashes, dtype, own.nx), ""};
}

}  // namespace stencil
