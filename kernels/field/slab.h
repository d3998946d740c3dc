// A process' rows of a distributed field.
#pragma once

namespace stencil {

/// The local rows of a distributed field, plus halos: copies of the neighbours' rows. A step of radius r
/// invalidates r more rows of each halo, from the outside in; halos are exchanged before the valid rows run
/// out. Row 0 of the local array is row `first` of the field. There is no halo at an end of the field, except
/// for periodic fields, whose halo holds the rows of the other end. The default is the whole field.
struct Slab {
    int first = 0;             ///< negative where the halo wraps around a periodic field
    int above = 0, below = 0;  ///< halo rows
    int field_rows = 0;        ///< rows of the whole field; 0 if it is not distributed

    bool whole() const { return field_rows == 0; }
    /// The field's row that is local row y, of `rows` local rows.
    int field_row(int y, int rows) const {
        const int all = whole() ? rows : field_rows;
        return ((first + y) % all + all) % all;
    }
    friend bool operator==(const Slab&, const Slab&) = default;
};

}  // namespace stencil
