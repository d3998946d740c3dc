#include "sim/examples/einsum/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/examples/arrays/arrays.h"
#include "sim/field/random.h"
#include "sim/text/error.h"

namespace stencil::einsum {
namespace {

// float32 where all files are; else float64, integers and booleans included.
DType own_dtype(const std::vector<NpyHeader>& headers) {
    const bool single =
        std::ranges::all_of(headers, [](const NpyHeader& header) { return header.descr.ends_with("f4"); });
    return single ? DType::float32 : DType::float64;
}

}  // namespace

EinsumTask einsum_task(const ExampleRequest& request) {
    EinsumTask task;
    task.subscripts = request.options.text("subscripts");
    task.files = request.options.all("operand");
    task.dtypes = request.dtypes;
    task.seed = std::uint64_t(request.options.integer("seed"));
    task.repetitions = request.options.integer("repetitions");
    const Subscripts subscripts = parse_subscripts(task.subscripts);
    if (task.files.empty()) {
        const LabelSizes sizes = parse_label_sizes(request.options.text("sizes"));
        task.contraction = bind_subscripts(subscripts, shapes_for(subscripts, sizes));
        return task;
    }
    if (request.options.given("sizes"))
        throw InputError("--sizes: is for random operands; those of --operand files have their own sizes");
    std::vector<NpyHeader> headers;
    std::vector<Contraction::Shape> shapes;
    for (const std::string& file : task.files) {
        headers.push_back(read_npy_header(file));
        shapes.push_back(headers.back().shape);
    }
    task.contraction = bind_subscripts(subscripts, shapes);
    const DType own = own_dtype(headers);
    std::ranges::stable_partition(task.dtypes, [&](DType dtype) { return dtype == own; });
    return task;
}

template <class T>
std::vector<AlignedBuffer<T>> make_operands(const EinsumTask& task, ExampleContext& context) {
    std::vector<AlignedBuffer<T>> operands;
    Random random(task.seed);
    for (std::size_t i = 0; i < task.contraction.shapes.size(); ++i) {
        if (!task.files.empty()) {
            NpyArray array = read_npy_array(task.files[i], dtype_of<T>);
            if (array.shape != task.contraction.shapes[i])
                throw InputError(fmt::format("{}: has another shape than a moment ago", task.files[i]));
            const auto& values = std::get<std::vector<T>>(array.values);
            std::ranges::copy(values, operands.emplace_back(values.size()).begin());
            context.pause();
            continue;
        }
        operands.push_back(random_array<T>(context, random, product_of(task.contraction.shapes[i])));
    }
    return operands;
}

template std::vector<AlignedBuffer<float>> make_operands(const EinsumTask&, ExampleContext&);
template std::vector<AlignedBuffer<double>> make_operands(const EinsumTask&, ExampleContext&);

}  // namespace stencil::einsum
