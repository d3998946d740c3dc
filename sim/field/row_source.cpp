#include "sim/field/row_source.h"

#include "sim/text/json.h"

namespace stencil {
namespace {

constexpr std::size_t kPieceBytes = std::size_t(16) << 20;

Field copied(const Field& field, int first, int rows) {
    return field.visit([&]<class T>(const Array<T>& from) -> Field {
        Array<T> piece(from.nx(), rows);
        std::copy_n(from.view().row(first), piece.size(), piece.data());
        return piece;
    });
}

void put_rows(const Field& piece, int first, Field& all) {
    all.visit(
        [&]<class T>(Array<T>& cells) { std::ranges::copy(piece.as<T>().cells(), cells.view().row(first)); });
}

std::vector<DType> dtypes_of(std::span<const Field* const> fields) {
    std::vector<DType> dtypes;
    for (const Field* field : fields) dtypes.push_back(field->dtype());
    return dtypes;
}

std::vector<DType> dtypes_of(const std::vector<SelectedRows::Pick>& picks) {
    std::vector<DType> dtypes;
    for (const auto& [source, field] : picks) dtypes.push_back(source->dtypes()[field]);
    return dtypes;
}

}  // namespace

std::shared_ptr<const State> RowSource::whole() const {
    auto state = std::make_shared<State>();
    for (const DType dtype : dtypes_) state->components.emplace_back(dtype, nx_, ny_);
    for_pieces(*this, 0, count(), 0, ny_, [&](std::size_t i, int y, const Field& piece) {
        put_rows(piece, y, state->components[i]);
    });
    return state;
}

std::shared_ptr<const Field> RowSource::field(std::size_t index) const {
    auto field = std::make_shared<Field>(dtypes_[index], nx_, ny_);
    for_pieces(*this, index, 0, ny_, [&](int y, const Field& piece) { put_rows(piece, y, *field); });
    return field;
}

SelectedRows::SelectedRows(std::vector<Pick> picks)
    : RowSource(picks.front().source->nx(), picks.front().source->ny(), dtypes_of(picks)),
      picks_(std::move(picks)) {
    for (Pick& pick : picks_)
        if (const auto* picked = dynamic_cast<const SelectedRows*>(pick.source.get()))
            pick = Pick(picked->picks_[pick.field]);
}

Field SelectedRows::rows(std::size_t field, int first, int rows) const {
    return picks_[field].source->rows(picks_[field].field, first, rows);
}

std::shared_ptr<const Field> SelectedRows::field(std::size_t index) const {
    return picks_[index].source->field(picks_[index].field);
}

FieldRows::FieldRows(std::vector<const Field*> fields)
    : RowSource(fields.empty() ? 0 : fields.front()->nx(),
                fields.empty() ? 0 : fields.front()->ny(),
                dtypes_of(fields)),
      fields_(std::move(fields)) {}

Field FieldRows::rows(std::size_t field, int first, int rows) const {
    return copied(*fields_[field], first, rows);
}

StateRows::StateRows(std::shared_ptr<const State> state)
    : StateRows(state, 0, state->components.front().ny()) {}

StateRows::StateRows(std::shared_ptr<const State> state, int first, int ny)
    : RowSource(state->components.empty() ? 0 : state->components.front().nx(),
                ny,
                dtypes_of(pointers_to(state->components))),
      state_(std::move(state)),
      first_(first) {}

Field StateRows::rows(std::size_t field, int first, int rows) const {
    return copied(state_->components[field], first - first_, rows);
}

std::shared_ptr<const RowSource> in_memory(State state) {
    return std::make_shared<StateRows>(std::make_shared<State>(std::move(state)));
}

std::shared_ptr<const RowSource> rounded(std::shared_ptr<const RowSource> source, DType dtype) {
    if (std::ranges::all_of(source->dtypes(), [&](DType each) { return each == dtype; })) return source;
    if (dynamic_cast<const StateRows*>(source.get())) return in_memory(source->whole()->to(dtype));
    return std::make_shared<MadeRows>(
        source->nx(),
        source->ny(),
        std::vector(source->count(), dtype),
        [=](std::size_t field, int first, int rows) {
            Field own = source->rows(field, first, rows);
            return own.dtype() == dtype ? std::move(own) : own.to(dtype);
        },
        [=] {
            const std::string of = source->recipe();
            return of.empty() ? "" : json_text({{"rounded", name_of(dtype)}, {"of", of}});
        });
}

int rows_at_a_time(int nx) {
    return int(std::max<std::size_t>(1, kPieceBytes / (sizeof(double) * std::size_t(nx))));
}

std::vector<const Field*> pointers_to(std::span<const Field> fields) {
    std::vector<const Field*> pointers;
    for (const Field& field : fields) pointers.push_back(&field);
    return pointers;
}

}  // namespace stencil
