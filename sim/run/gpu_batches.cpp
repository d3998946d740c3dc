#include "sim/run/gpu_batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <list>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/cpu/thread_pool.h"
#include "kernels/equation/batch/batch_stepper.h"
#include "sim/machine/kernel_cache.h"

namespace stencil {
namespace {

using equation::EquationStepper;

// Solvers whose programs differ in inputs alone.
template <class T>
struct Family {
    std::shared_ptr<const equation::Program> program;
    equation::FieldCells size;
    std::string why_not;
    std::vector<std::unique_ptr<equation::BatchStepper<T>>> steppers = {};  ///< of each device in use
};

template <class T>
struct FamiliesOf {
    std::list<Family<T>> all = {};
    // By the program, which most runs share, and the size. The family of an equal program is looked for once.
    using Key = std::tuple<std::shared_ptr<const equation::Program>, int, int>;
    std::map<Key, Family<T>*> known = {};
};

equation::KernelMaker kernel_maker() {
    const equation::CodeTarget target = equation::code_target();
    return {[target](const std::string& text) { return compiled_kernels(text, target); },
            fastest_kernel,
            keep_fastest_kernel};
}

}  // namespace

struct GpuBatches::Families {
    const std::vector<int> devices = cuda_devices_of_runs();
    std::vector<std::unique_ptr<ThreadPool>> pools = std::vector<std::unique_ptr<ThreadPool>>(devices.size());
    std::mutex mutex;
    std::tuple<FamiliesOf<float>, FamiliesOf<double>> of_type;

    template <class T>
    Family<T>& of(const EquationStepper<T>& stepper) {
        const std::lock_guard lock(mutex);
        auto& [all, known] = std::get<FamiliesOf<T>>(of_type);
        const auto& setup = stepper.setup();
        const auto& program = stepper.shared_program();
        if (const auto one = known.find({program, setup.nx, setup.ny}); one != known.end())
            return *one->second;
        const equation::FieldCells size{setup.nx, setup.ny};
        auto found = std::ranges::find_if(all, [&](const Family<T>& family) {
            return family.size.nx == size.nx && family.size.ny == size.ny && *family.program == *program;
        });
        if (found == all.end())
            found = all.insert(all.end(),
                               {program, size, equation::why_no_batch(*program, sizeof(T) == 8, size)});
        return *(known[{program, setup.nx, setup.ny}] = &*found);
    }

    template <class T>
    void advance(std::span<Steps> all, int threads, std::string& way) {
        std::vector<std::pair<Family<T>*, std::vector<Steps*>>> groups;
        for (Steps& each : all) {
            const BatchMember member = each.solver->batch_member();
            const auto* stepper = std::get_if<EquationStepper<T>*>(&member);
            if (!stepper) continue;
            Family<T>* family = &of(**stepper);
            auto group = std::ranges::find(groups, family, [](const auto& pair) { return pair.first; });
            if (group == groups.end()) group = groups.insert(group, {family, {}});
            group->second.push_back(&each);
        }
        for (auto& [family, steps] : groups) {
            // Each device takes an even part of the runs.
            const std::size_t parts = std::min(devices.size(), steps.size());
            family->steppers.resize(devices.size());
            std::vector<std::future<void>> others;
            for (std::size_t part = 0; part < parts; ++part) {
                const std::size_t first = steps.size() * part / parts,
                                  last = steps.size() * (part + 1) / parts;
                const auto work = [&, part, own = std::span(steps).subspan(first, last - first)] {
                    advance(*family, part, own, threads);
                };
                if (part + 1 == parts)
                    work();
                else
                    others.push_back(std::async(std::launch::async, work));
            }
            for (const auto& other : others) other.wait();
            way = family->steppers.front() ? family->steppers.front()->way() : "";
            if (parts > 1) way += fmt::format(", on {} GPUs", parts);
        }
    }

    template <class T>
    void advance(Family<T>& family, std::size_t part, std::span<Steps*> steps, int threads) try {
        auto& stepper = family.steppers[part];
        if (!stepper)
            stepper =
                equation::make_cuda_batch<T>(*family.program, family.size, kernel_maker(), devices[part]);
        std::vector<EquationStepper<T>*> members;
        std::vector<long long> counts;
        for (const Steps* each : steps) {
            members.push_back(std::get<EquationStepper<T>*>(each->solver->batch_member()));
            counts.push_back(each->steps);
        }
        auto& pool = pools[part];
        if (!pool) pool = std::make_unique<ThreadPool>(std::max(1, threads / int(devices.size())));
        const double seconds = stepper->advance(members, counts, *pool);
        for (Steps* each : steps) {
            each->seconds = seconds / double(steps.size());
            each->solver->made_elsewhere(each->steps);
        }
    } catch (const CudaError& error) {
        for (Steps* each : steps) each->why_not = error.what();
    }
};

GpuBatches::GpuBatches() : families_(std::make_unique<Families>()) {}
GpuBatches::~GpuBatches() = default;

std::string GpuBatches::why_not(Solver& solver) {
    return std::visit(
        [this](auto member) -> std::string {
            if constexpr (std::is_same_v<decltype(member), std::monostate>)
                return "the method is not that of typed equations";
            else
                return families_->of(*member).why_not;
        },
        solver.batch_member());
}

void GpuBatches::advance(std::span<Steps> all, int threads) {
    families_->advance<float>(all, threads, way_);
    families_->advance<double>(all, threads, way_);
}

}  // namespace stencil
