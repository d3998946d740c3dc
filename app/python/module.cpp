// Native part of the package (stencilscope._core); users import stencilscope/__init__.py.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <thread>

#include "app/python/arrays.h"
#include "app/python/held_simulation.h"
#include "app/python/workloads.h"
#include "kernels/cuda/cuda_runtime.h"
#include "kernels/equation/fused/fused_compiler.h"
#include "sim/files/atomic_file.h"
#include "sim/machine/host_memory.h"
#include "sim/text/error.h"

namespace stencil::python {
namespace {

using namespace nb::literals;

bool is_letter(char c) {
    return c >= 'a' && c <= 'z';
}

// Rewrites options in messages as Python arguments: "--allow-unstable" becomes allow_unstable, except inside
// quoted commands such as 'run --out DIR'.
std::string in_python(std::string_view message) {
    std::string text;
    bool quoted = false;
    for (std::size_t i = 0; i < message.size(); ++i) {
        const bool word_before = i > 0 && is_letter(message[i - 1]);
        if (message[i] == '\'' && (quoted || !word_before)) quoted = !quoted;
        const bool option = !quoted && message.substr(i).starts_with("--") && i + 2 < message.size() &&
                            is_letter(message[i + 2]);
        if (!option) {
            text += message[i];
            continue;
        }
        for (i += 2; i < message.size() && (message[i] == '-' || is_letter(message[i])); ++i)
            text += message[i] == '-' ? '_' : message[i];
        --i;
    }
    return text;
}

void raise(PyObject* kind, const std::exception& error) {
    PyErr_SetString(kind, in_python(error.what()).c_str());
}

void translate(const std::exception_ptr& thrown, void*) {
    try {
        std::rethrow_exception(thrown);
    } catch (const InputError& error) {
        raise(PyExc_ValueError, error);
    } catch (const FileError& error) {
        raise(PyExc_OSError, error);
    } catch (const MemoryError& error) {
        raise(PyExc_MemoryError, error);
    } catch (const MachineError& error) {
        raise(PyExc_RuntimeError, error);
    } catch (const CudaError& error) {
        const bool memory = std::string_view(error.what()).find("MemoryAllocation") != std::string_view::npos;
        raise(memory ? PyExc_MemoryError : PyExc_RuntimeError, error);
    }
}

nb::dict to_dict(const Statistics& s) {
    nb::dict result;
    result["min"] = s.min;
    result["max"] = s.max;
    result["mean"] = s.mean;
    result["total"] = s.total;
    result["not_finite"] = s.not_finite;
    return result;
}

// Waits at exit: NVRTC cannot be interrupted, and would crash when the process unloads what it uses.
void wait_for_compilers() {
    const nb::gil_scoped_release released;
    while (equation::FusedCompiler::any_abandoned())
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

}  // namespace

NB_MODULE(_core, m) {
    nb::register_exception_translator(translate);
    m.attr("version") = STENCILSCOPE_VERSION;
    m.attr("has_cuda") = bool(STENCILSCOPE_HAS_CUDA);

    nb::class_<HeldSimulation>(m, "HeldSimulation")
        .def(nb::init<const std::string&, const Words&, const nb::dict&>(), "spec"_a, "words"_a, "start"_a)
        .def(nb::init<const std::string&>(), "folder"_a)
        .def("advance", &HeldSimulation::advance, "steps"_a, "progress"_a.none())
        .def("set", &HeldSimulation::set, "name"_a, "value"_a)
        .def("reset", &HeldSimulation::reset)
        .def("field", &HeldSimulation::field, "formula"_a, "laplacian"_a, "numpy"_a)
        .def(
            "statistics",
            [](HeldSimulation& held, const std::string& formula) {
                return to_dict(held.statistics(formula));
            },
            "formula"_a)
        .def("timings", &HeldSimulation::timings)
        .def("settings", &HeldSimulation::settings, "from_start"_a)
        .def("write_figure", &HeldSimulation::write_figure, "path"_a)
        .def("write_files", &HeldSimulation::write_files, "folder"_a, "names"_a)
        .def("write_checkpoint", &HeldSimulation::write_checkpoint, "folder"_a)
        .def("picture", &HeldSimulation::picture)
        .def("step", &HeldSimulation::step)
        .def("components", &HeldSimulation::components)
        .def("parameters", &HeldSimulation::parameters);
    nb::module_::import_("atexit").attr("register")(nb::cpp_function(&wait_for_compilers));
    m.def("bench", &bench, "words"_a);
    m.def("example", &example, "name"_a, "words"_a);
    m.def("models", &models);
    m.def("setting_table", &setting_table);
}

}  // namespace stencil::python
