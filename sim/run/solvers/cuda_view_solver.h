// Views of solvers on CUDA.
#pragma once

#include <stdexcept>
#include <utility>

#include "kernels/cuda/cuda_field.h"
#include "kernels/cuda/cuda_runtime.h"
#include "kernels/view/cuda_view.h"
#include "kernels/view/quantity_at.h"
#include "sim/run/solvers/solver.h"

namespace stencil {

/// Interface between CUDA solvers of either precision.
class CudaNeighbour : public Solver {
  public:
    using Solver::Solver;
    /// Returns when the copy is complete.
    virtual void copy_field(const std::string& formula, FieldView<double> out) = 0;
};

/// T is the precision of the steps.
template <class T>
class CudaViewSolver : public CudaNeighbour {
  public:
    using CudaNeighbour::CudaNeighbour;

    double wait() override {
        seconds_ += settle();
        stream_.synchronize();
        return std::exchange(seconds_, 0.0);
    }

    Field field(const Observable& what = {}) override { return rounded(download(read(what))); }

    void read_rows(const SolverArray& array, const RowSink& sink) override {
        if (array.kind != SolverArray::Kind::observable) return Solver::read_rows(array, sink);
        give_rows(read(array.observable), setup_.dtype, sink);
    }

    CudaMemory device_copy(const Observable& what) override {
        if (setup_.dtype != dtype_of<T>) return {};
        CudaMemory copy(sizeof(T) * std::size_t(setup_.nx) * std::size_t(setup_.ny), stream_.device());
        cuda_read(view_of(what), FieldView<T>{static_cast<T*>(copy.data()), setup_.nx, setup_.ny, setup_.nx});
        stream_.synchronize();
        return copy;
    }

    using CudaNeighbour::set_base;
    void set_base(const Field& base) override {
        make_base();
        if (base.dtype() == DType::float64)
            upload(base.as<double>().view(), base_view());
        else {
            // Converts through the spare field, whose rows are long enough.
            const FieldView<T> room = spare();
            const FieldView<float> narrow{static_cast<float*>(static_cast<void*>(room.data)),
                                          setup_.nx,
                                          setup_.local_rows(),
                                          room.pitch * int(sizeof(T) / sizeof(float))};
            upload(base.as<float>().view(), narrow);
            const PlainView<float> field(narrow);
            cuda_read<float, double>({{field, {}, {}}, Quantity::value, stream_, scratch_}, base_view());
        }
        stream_.synchronize();
    }

    void set_base(Solver& other, const std::string& formula = {}) override {
        auto* neighbour = dynamic_cast<CudaNeighbour*>(&other);
        if (!neighbour) return set_base(other.field(formula));  // a distributed solver
        make_base();
        neighbour->copy_field(formula, base_view());
    }

    void copy_field(const std::string& formula, FieldView<double> out) override {
        cuda_read(view_of(formula), out);
        stream_.synchronize();
    }

    void resample(const Observable& what,
                  const ResampleRequest& request,
                  bool to_host,
                  Pixels& out) override {
        const std::size_t size = std::size_t(request.width) * std::size_t(request.height);
        make_room(out, size * sizeof(float));
        out.width = request.width;
        out.height = request.height;
        out.on_device = !to_host;
        cuda_resample(view_of(what), request, static_cast<float*>(out.device.data()));
        if (to_host) {
            if (out.host.size() < size) out.host.resize(size);
            const std::size_t row = std::size_t(request.width) * sizeof(float);
            copy_to_host({out.host.data(), row, out.device.data(), row, row, std::size_t(request.height)},
                         stream_);
        } else {
            stream_.synchronize();
        }
    }

    PartialStatistics sums(const Observable& what, Summand summand) override {
        return cuda_sums(view_of(what), summand, first_row());
    }

    std::vector<double> percentiles(const Observable& what, std::span<const double> q) override {
        return cuda_percentiles(view_of(what), q, setup_.sum);
    }

    std::vector<std::uint64_t> histogram(const Observable& what, double low, double high, int bins) override {
        return cuda_histogram(view_of(what), {low, high, bins});
    }

    std::vector<double> sample(const Observable& what,
                               std::span<const SamplePoint> points,
                               bool smooth) override {
        // Interpolation between two cells may need a halo row, which the base field does not have.
        const bool halo = !setup_.slab.whole() && !needs_base(what.quantity);
        const Sampling how{smooth, halo ? setup_.slab.first : first_row(), setup_.slab.field_rows};
        return cuda_sample(view_of(what, halo), points, how);
    }

  protected:
    using CudaNeighbour::first_row;

    /// The field to read for a formula and, in `quantity`, which quantity of it. view_of() adds the base
    /// field.
    virtual QuantitySource<T> source_of(const std::string& formula, Quantity& quantity) = 0;
    /// A scratch array of the field's shape.
    virtual FieldView<T> spare() = 0;

    /// Times what is enqueued between start and stop; wait() returns the seconds.
    void start_timing() {
        // The events hold one batch, so an earlier one is read first.
        seconds_ += settle();
        cuda_nudge(stream_);
        timer_.start(stream_);
    }
    void stop_timing() {
        timer_.stop(stream_);
        timing_ = true;
    }

    template <class U>
    void upload(FieldView<const U> from, FieldView<U> to) {
        copy_to_device({to.data,
                        std::size_t(to.pitch) * sizeof(U),
                        from.data,
                        std::size_t(from.pitch) * sizeof(U),
                        std::size_t(to.nx) * sizeof(U),
                        std::size_t(to.ny)},
                       stream_);
    }

    /// The rows without halo.
    template <class View>
    View own(const View& view) const {
        return view.rows(setup_.slab.above, setup_.local_rows());
    }

    /// Fills the local rows of arrays from fields of a source, beginning with `field`.
    void fill(const std::vector<FieldView<T>>& arrays, const RowSource& source, std::size_t field) {
        const auto take = [&](std::size_t i, int first, const Field& piece) {
            write(piece, own(arrays[i]).rows(first - first_row(), piece.ny()));
        };
        for_pieces(source, field, arrays.size(), first_row(), setup_.local_rows(), take);
    }
    void write(const Field& field, FieldView<T> to) {
        const Field rounded = field.dtype() == dtype_of<T> ? Field() : field.to(dtype_of<T>);
        const Array<T>& cells = (rounded.size() > 0 ? rounded : field).template as<T>();
        upload(FieldView<const T>(cells.view()), to);
    }

    void make_base() {
        if (!base_.data()) base_ = CudaMemory(cuda_field_bytes<double>(setup_.nx, setup_.local_rows()));
    }

    FieldView<double> base_view() const {
        return base_.data() ? cuda_view<double>(base_, setup_.nx, setup_.local_rows()) : FieldView<double>();
    }

    static void make_room(Pixels& pixels, std::size_t bytes) {
        if (pixels.device_bytes >= bytes) return;
        pixels.device_bytes = 0;
        pixels.device = CudaMemory();
        pixels.device = CudaMemory(bytes);
        pixels.device_bytes = bytes;
    }

    /// Updates the halo of the state from the neighbouring slabs.
    virtual void refresh_halo() {}

    /// A view of the local rows, or with the halo.
    CudaView<T> view_of(const Observable& what, bool with_halo = false) {
        Quantity quantity = what.quantity;
        if (needs_base(quantity) && !base_.data()) throw std::logic_error("a solver without a base field");
        if (with_halo || (quantity == Quantity::laplacian && !setup_.slab.whole())) refresh_halo();
        QuantitySource<T> source = source_of(what.formula, quantity);
        if (quantity == Quantity::laplacian && !setup_.slab.whole()) {
            // Computed with halo rows, so that local rows have their neighbours.
            if (!laplacian_.data()) laplacian_ = CudaMemory(cuda_field_bytes<T>(setup_.nx, setup_.ny));
            const FieldView<T> cells = cuda_view<T>(laplacian_, setup_.nx, setup_.ny);
            cuda_read(CudaView<T>{source, quantity, stream_, scratch_}, cells);
            source.field = FieldView<const T>(cells);
            quantity = Quantity::value;
        }
        if (!with_halo) source.field = own(source.field);
        source.base = base_view();
        return {source, quantity, stream_, scratch_};
    }

    // Evaluates into the spare field.
    FieldView<const T> read(const Observable& what) {
        const FieldView<T> room = own(spare());
        cuda_read(view_of(what), room);
        return room;
    }

    /// Downloads some rows at a time, so that the host need not hold the whole field.
    void give_rows(FieldView<const T> cells, DType dtype, const RowSink& sink) {
        const int most = rows_at_a_time(cells.nx);
        for (int y = 0; y < cells.ny; y += most) {
            Field piece = download(cells.rows(y, std::min(most, cells.ny - y)));
            sink(y, piece.dtype() == dtype ? std::move(piece) : piece.to(dtype));
        }
    }

    // Rounds a float64 state to the precision of the setup.
    Field rounded(Field field) const {
        return field.dtype() == setup_.dtype ? std::move(field) : field.to(setup_.dtype);
    }

    Array<T> download(FieldView<const T> from) {
        Array<T> result(from.nx, from.ny);
        const std::size_t row = std::size_t(from.nx) * sizeof(T);
        const std::size_t pitch = std::size_t(from.pitch) * sizeof(T);
        copy_to_host({result.data(), row, from.data, pitch, row, std::size_t(from.ny)}, stream_);
        return result;
    }

    CudaStream stream_;
    CudaScratch scratch_;

  private:
    double settle() {
        if (!timing_) return 0;
        timing_ = false;
        return timer_.seconds();
    }

    CudaTimer timer_;
    CudaMemory base_;       ///< empty until needed
    CudaMemory laplacian_;  ///< for slabs, empty until needed
    double seconds_ = 0;
    bool timing_ = false;
};

}  // namespace stencil
