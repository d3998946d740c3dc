// Access to fields by rows, so that no process needs to hold whole fields.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/field/field.h"

namespace stencil {

/// Fields of one size that provide any rows: kept in memory, read from files, or generated.
class RowSource {
  public:
    RowSource(int nx, int ny, std::vector<DType> dtypes) : nx_(nx), ny_(ny), dtypes_(std::move(dtypes)) {}
    virtual ~RowSource() = default;

    int nx() const { return nx_; }
    int ny() const { return ny_; }
    const std::vector<DType>& dtypes() const { return dtypes_; }
    std::size_t count() const { return dtypes_.size(); }

    /// Rows [first, first + rows) of a field, in its precision.
    virtual Field rows(std::size_t field, int first, int rows) const = 0;
    /// A description from which any process can generate the same rows (sim/problem/start.h); empty if only
    /// this process has them.
    virtual std::string recipe() const { return ""; }
    /// All fields as a state at step 0; generated if not kept.
    virtual std::shared_ptr<const State> whole() const;
    /// One field; generated if not kept.
    virtual std::shared_ptr<const Field> field(std::size_t index) const;

  private:
    int nx_, ny_;
    std::vector<DType> dtypes_;
};

/// Rows that a function makes, for example of fields in another place or precision.
class MadeRows : public RowSource {
  public:
    using Make = std::function<Field(std::size_t field, int first, int rows)>;
    MadeRows(int nx, int ny, std::vector<DType> dtypes, Make make, std::function<std::string()> recipe)
        : RowSource(nx, ny, std::move(dtypes)), make_(std::move(make)), recipe_(std::move(recipe)) {}
    Field rows(std::size_t field, int first, int rows) const override { return make_(field, first, rows); }
    std::string recipe() const override { return recipe_(); }

  private:
    Make make_;
    std::function<std::string()> recipe_;
};

/// Fields owned by the caller; the list may be empty.
class FieldRows : public RowSource {
  public:
    explicit FieldRows(std::vector<const Field*> fields);
    Field rows(std::size_t field, int first, int rows) const override;

  private:
    std::vector<const Field*> fields_;
};

/// A state in memory: all rows, or a block of rows beginning with `first` of fields of `ny` rows.
class StateRows : public RowSource {
  public:
    explicit StateRows(std::shared_ptr<const State> state);
    StateRows(std::shared_ptr<const State> state, int first, int ny);
    Field rows(std::size_t field, int first, int rows) const override;
    std::shared_ptr<const State> whole() const override { return state_; }
    std::shared_ptr<const Field> field(std::size_t index) const override {
        return {state_, &state_->components[index]};
    }

  private:
    std::shared_ptr<const State> state_;
    int first_ = 0;
};

std::shared_ptr<const RowSource> in_memory(State state);

/// A selection of fields from sources of one size.
class SelectedRows : public RowSource {
  public:
    struct Pick {
        std::shared_ptr<const RowSource> source;
        std::size_t field = 0;
    };
    explicit SelectedRows(std::vector<Pick> picks);
    Field rows(std::size_t field, int first, int rows) const override;
    std::shared_ptr<const Field> field(std::size_t index) const override;

  private:
    std::vector<Pick> picks_;
};

/// The fields rounded to a precision; a state in memory is converted as a whole.
std::shared_ptr<const RowSource> rounded(std::shared_ptr<const RowSource> source, DType dtype);

/// Rows of some MiB, the unit of transfers.
int rows_at_a_time(int nx);

/// Calls take(i, first, rows) for pieces of rows [first, first + rows) of `count` fields, beginning with
/// `field`. Each piece is taken from all fields in turn, because some sources generate them together.
template <class Take>
void for_pieces(
    const RowSource& source, std::size_t field, std::size_t count, int first, int rows, Take&& take) {
    const int most = rows_at_a_time(source.nx());
    for (int y = first; y < first + rows; y += most)
        for (std::size_t i = 0; i < count; ++i)
            take(i, y, source.rows(field + i, y, std::min(most, first + rows - y)));
}
/// Calls take(first, rows) for pieces of a single field.
template <class Take>
void for_pieces(const RowSource& source, std::size_t field, int first, int rows, Take&& take) {
    for_pieces(
        source, field, 1, first, rows, [&](std::size_t, int y, const Field& piece) { take(y, piece); });
}

std::vector<const Field*> pointers_to(std::span<const Field> fields);

/// Receives consecutive rows of a field.
using RowSink = std::function<void(int first, const Field& rows)>;

}  // namespace stencil
