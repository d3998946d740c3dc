// A part of a field's rows, as one of several processes has it.
#pragma once

namespace stencil {

/// The rows of one part of a field: its own, and around them copies of its neighbours' own, the halo. A step
/// is right only as far as a cell's neighbours are there, so the halo goes bad from outside by as many rows
/// as the step reaches, and is then copied anew. Row 0 of such an array is row `first` of the field. Where
/// the part ends with the field there is no halo, unless the field is periodic: then its first rows follow on
/// its last ones. By default the part is the whole field.
struct Slab {
    int first = 0;             ///< negative where the halo is the other end of a periodic field
    int above = 0, below = 0;  ///< rows of the halo
    int field_rows = 0;        ///< of the whole field; 0: the part is the whole

    bool whole() const { return field_rows == 0; }
    /// The field's row that row y of `rows` is.
    int field_row(int y, int rows) const {
        const int all = whole() ? rows : field_rows;
        return ((first + y) % all + all) % all;
    }
    friend bool operator==(const Slab&, const Slab&) = default;
};

}  // namespace stencil
