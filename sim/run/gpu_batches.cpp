#include "sim/run/gpu_batches.h"

#include <algorithm>
#include <list>
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
    equation::Program program;
    equation::FieldCells size;
    std::string why_not;
    std::unique_ptr<equation::BatchStepper<T>> stepper = nullptr;  ///< made at the first steps
};

equation::KernelMaker kernel_maker() {
    const equation::CodeTarget target = equation::code_target();
    return {[target](const std::string& text) { return compiled_kernels(text, target); },
            fastest_kernel,
            keep_fastest_kernel};
}

}  // namespace

struct GpuBatches::Families {
    std::mutex mutex;
    std::tuple<std::list<Family<float>>, std::list<Family<double>>> of_type;

    template <class T>
    Family<T>& of(const EquationStepper<T>& stepper) {
        const std::lock_guard lock(mutex);
        auto& families = std::get<std::list<Family<T>>>(of_type);
        const auto& setup = stepper.setup();
        const auto found = std::ranges::find_if(families, [&](const Family<T>& family) {
            return family.size.nx == setup.nx && family.size.ny == setup.ny &&
                   family.program == stepper.program();
        });
        if (found != families.end()) return *found;
        const equation::FieldCells size{setup.nx, setup.ny};
        families.push_back({stepper.program(),
                            size,
                            equation::why_no_batch(stepper.program(), sizeof(T) == 8, size, gpu_facts())});
        return families.back();
    }

    template <class T>
    void advance(std::span<Steps> all, ThreadPool& threads, std::string& way) {
        std::vector<std::pair<Family<T>*, std::vector<Steps*>>> groups;
        for (Steps& each : all) {
            const BatchMember member = each.solver->batch_member();
            const auto* stepper = std::get_if<EquationStepper<T>*>(&member);
            if (!stepper) continue;
            Family<T>* family = &of(**stepper);
            auto group =
                std::ranges::find(groups, family, [](const auto& pair) { return pair.first; });
            if (group == groups.end()) group = groups.insert(group, {family, {}});
            group->second.push_back(&each);
        }
        for (auto& [family, steps] : groups) try {
                if (!family->stepper)
                    family->stepper =
                        equation::make_cuda_batch<T>(family->program, family->size, kernel_maker());
                std::vector<EquationStepper<T>*> members;
                std::vector<long long> counts;
                for (const Steps* each : steps) {
                    members.push_back(std::get<EquationStepper<T>*>(each->solver->batch_member()));
                    counts.push_back(each->steps);
                }
                const double seconds = family->stepper->advance(members, counts, threads);
                way = family->stepper->way();
                for (Steps* each : steps) {
                    each->seconds = seconds / double(steps.size());
                    each->solver->made_elsewhere(each->steps);
                }
            } catch (const CudaError& error) {
                for (Steps* each : steps) each->why_not = error.what();
            }
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

GpuBatches::Takes GpuBatches::takes(Solver& solver) {
    if (!why_not(solver).empty()) return Takes::none;
    return std::visit(
        [](auto member) {
            if constexpr (std::is_same_v<decltype(member), std::monostate>)
                return Takes::none;
            else
                return member->steps_alone() ? Takes::all_but_the_next : Takes::all;
        },
        solver.batch_member());
}

void GpuBatches::advance(std::span<Steps> all, int threads) {
    ThreadPool pool(threads);
    families_->advance<float>(all, pool, way_);
    families_->advance<double>(all, pool, way_);
}

}  // namespace stencil
