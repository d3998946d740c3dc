// Requests for the visible part of a field as pixels.
#pragma once

namespace stencil {

/// The area that the pixels cover, in cells: cell (i, j) covers [i, i + 1) x [j, j + 1), row 0 on top. It may
/// extend beyond the field by less than a pixel.
struct CellArea {
    double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    friend bool operator==(const CellArea&, const CellArea&) = default;
};

/// Resampling, independent along each axis. A pixel larger than a cell is the average of the cells that it
/// covers, weighted by the covered share (the outside has no weight). Otherwise it is the cell that contains
/// its centre or, if `smooth`, interpolated linearly between cell centres, with constant values beyond the
/// outer centres. A NaN in any cell of a pixel makes it NaN.
struct ResampleRequest {
    CellArea area;
    int width = 0;  ///< pixels
    int height = 0;
    bool smooth = false;

    /// For a slab of a distributed field: the contribution of its cells to each pixel, so that the sum over
    /// all slabs is the picture. Only rows of pixels with contributions are computed (pixel_rows_of()).
    struct Part {
        int first_row = 0,
            field_rows = 0;  ///< rows of cells; field_rows is 0 if the field is not distributed
        int first_pixel = 0,
            pixel_rows = 0;  ///< the picture has pixel_rows rows, of which `height` are computed
        friend bool operator==(const Part&, const Part&) = default;
    } part = {};
    friend bool operator==(const ResampleRequest&, const ResampleRequest&) = default;
};

/// A point of the field in the coordinates of CellArea.
struct SamplePoint {
    double x = 0, y = 0;
    friend bool operator==(const SamplePoint&, const SamplePoint&) = default;
};

}  // namespace stencil
