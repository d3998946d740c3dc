// Native part of the package (stencilscope._core); users import stencilscope/__init__.py.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "app/python/held_simulation.h"
#include "kernels/cuda/cuda_runtime.h"
#include "kernels/equation/fused/fused_compiler.h"
#include "kernels/methods/spectral/fftw.h"
#include "sim/bench/suite.h"
#include "sim/bench/suite_report.h"
#include "sim/examples/context.h"
#include "sim/examples/report.h"
#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/import/model_file.h"
#include "sim/machine/host_memory.h"
#include "sim/model/equations.h"
#include "sim/model/model.h"
#include "sim/model/text/rewriting.h"
#include "sim/model/text/statements.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/text/error.h"
#include "sim/text/json.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"

namespace stencil::python {
namespace {

using namespace nb::literals;

bool is_letter(char c) {
    return c >= 'a' && c <= 'z';
}

// Whether a word begins after `before`, or ends before `behind`: a part of a path or a formula is no word.
bool begins_word(std::string_view before) {
    return before.empty() || std::string_view(" ('\"`").find(before.back()) != before.npos;
}
bool ends_word(std::string_view behind) {
    constexpr std::string_view kEnds = " )'\"`:;,=?";
    const bool stop = behind.starts_with('.') && (behind.size() == 1 || behind[1] == ' ');
    return behind.empty() || stop || kEnds.find(behind.front()) != behind.npos;
}

// Spells settings as Python does if they are whole words: "global-every" becomes global_every.
std::string with_python_names(std::string text) {
    for (const Setting& setting : settings()) {
        const std::size_t length = setting.name.size();
        if (setting.name.find('-') == std::string_view::npos) continue;
        for (std::size_t at = 0; (at = text.find(setting.name, at)) != std::string::npos; at += length) {
            const std::string_view all = text;
            if (begins_word(all.substr(0, at)) && ends_word(all.substr(at + length)))
                std::replace(text.begin() + long(at), text.begin() + long(at + length), '-', '_');
        }
    }
    return text;
}

// Rewrites options in messages as Python arguments: "--allow-unstable" becomes allow_unstable, except inside
// quoted commands such as 'run --out DIR' and inside other words.
std::string without_dashes(std::string_view message) {
    std::string text;
    bool quoted = false;
    for (std::size_t i = 0; i < message.size(); ++i) {
        const std::string_view rest = message.substr(i);
        if (rest[0] == '\'' && (quoted || text.empty() || !is_letter(text.back()))) quoted = !quoted;
        const bool option = !quoted && rest.starts_with("--") && rest.size() > 2 && is_letter(rest[2]);
        if (option && begins_word(text))
            ++i;
        else
            text += rest[0];
    }
    return text;
}

void raise(PyObject* kind, const std::exception& error) {
    // Further lines show the user's own text.
    const std::string_view message = error.what();
    const std::size_t line = std::min(message.find('\n'), message.size());
    std::string first = with_python_names(without_dashes(message.substr(0, line)));
    PyErr_SetString(kind, first.append(message.substr(line)).c_str());
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
    } catch (const NotFiniteError& error) {
        raise(PyExc_FloatingPointError, error);
    } catch (const CudaError& error) {
        const bool memory = std::string_view(error.what()).find("MemoryAllocation") != std::string_view::npos;
        raise(memory ? PyExc_MemoryError : PyExc_RuntimeError, error);
    }
}

// --- Functions besides the simulation; results are JSON text

using Json = nlohmann::ordered_json;

// Polls for Ctrl-C from a thread that has released the GIL.
bool interrupted() {
    const nb::gil_scoped_acquire acquired;
    return PyErr_CheckSignals() != 0;
}

Json numbers_of(const std::vector<ModelParameter>& parameters) {
    Json values = Json::object();
    for (const ModelParameter& row : parameters) values[row.name] = row.value;
    return values;
}

void set_word(SuiteSpec& spec, SettingWords& of_run, const std::string& name, const std::string& value) {
    if (name == "size")
        add_sizes(spec, value);
    else if (name == "method")
        add_methods(spec, value);
    else if (name == "steps")
        spec.steps = parse_integer(value, "steps", 1, kMaxSteps);
    else if (name == "repeats")
        spec.repeats = int(parse_integer(value, "repeats", kMinRepeats, 1000));
    else if (name == "sweep")
        spec.sweep = parse_flag(value, "sweep");
    else if (contains(names_of(kBenchSettings), present_name(name)) || name == setting_name::dtype)
        of_run.emplace_back(&find_setting(name), value);
    else {
        std::vector<std::string> known = {"size", "method", "steps", "repeats", "sweep", "dtype"};
        for (const BenchSetting& setting : kBenchSettings) known.emplace_back(setting.name);
        throw InputError(unknown_name_message("option", name, known));
    }
}

// Runs the benchmark with options of `stencilscope bench` and returns bench.json. Ctrl-C ends it.
std::string bench(const Words& words) {
    std::string report;
    bool ended = false;
    {
        const nb::gil_scoped_release released;
        SuiteSpec spec;
        SettingWords of_run;
        for (const auto& [name, value] : words) set_word(spec, of_run, name, value);
        set_all(spec.run, of_run);
        const Machine machine = query_machine();
        Suite suite(resolve(spec, machine), machine);
        while (!suite.done() && !ended) {
            suite.work();
            ended = interrupted();
        }
        report = to_json(make_report(suite, machine)).dump();
    }
    if (ended) throw nb::python_error();
    return report;
}

// Runs an example and returns report.json. `words` are its command-line options, and `out`.
std::string example(const std::string& name, const Words& words) {
    std::string text;
    bool ended = false;
    {
        const nb::gil_scoped_release released;
        ExampleRequest request = request_for(find_example(name));
        for (const auto& [option, value] : words) {
            if (option == "out")
                request.out = value;
            else
                request.options.set(option, value);
        }
        const Machine machine = query_machine();
        require_backend(request.backend(), machine);
        if (!request.out.empty()) make_folder(request.out, "out");
        ExampleWatch watch;
        watch.cancelled = [&] { return ended = ended || interrupted(); };
        const Report report = run_example(request, machine, watch);
        if (!request.out.empty()) write_report(report, request.out);
        text = to_json(report).dump();
    }
    if (ended) throw nb::python_error();
    return text;
}

// Describes a model: title, components, parameters, source and text.
Json description(std::string_view text) {
    const equation::Equations e = equation::read_equations(text);
    return {{"title", e.title},
            {"components", names_of(e.components)},
            {"parameters", numbers_of(e.parameters)},
            {"source", e.source},
            {"text", text}};
}

// Lists every included model by name.
std::string models() {
    Json all = Json::object();
    for (const Preset& preset : presets()) all[std::string(preset.name)] = description(preset.text);
    return all.dump();
}

// Lists every setting of a run: name, value (empty: a switch), help, whether it may be repeated, and its
// default (null: none, or by the model).
std::string setting_table() {
    Json rows = Json::array();
    const RunSpec standard;
    for (const Setting& row : settings())
        rows.push_back({{"name", row.name},
                        {"value", row.value},
                        {"help", row.help},
                        {"many", row.add != nullptr},
                        {"default", row.get ? Json(row.get(standard)) : Json()}});
    return rows.dump();
}

// The text of a model, or the text itself, in which names are arrays: NAME = array("FILE").
std::string text_with_arrays(const std::string& text, const std::string& model, const nb::dict& files) {
    const equation::Statements read =
        equation::read_statements(text.empty() ? open_model(model).model->text : text);
    equation::Rewriting rewriting(read);
    for (const auto& [name, formula] : files)
        rewriting.set(
            equation::StatementForm::value, nb::cast<std::string>(name), nb::cast<std::string>(formula));
    return rewriting.text();
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

    add_simulation(m);
    add_sweep(m);
    add_fit(m);
    nb::module_::import_("atexit").attr("register")(nb::cpp_function(&wait_for_compilers));
    m.def("bench", &bench, "words"_a);
    m.def("example", &example, "name"_a, "words"_a);
    m.def("models", &models);
    m.def(
        "describe", [](const std::string& text) { return description(text).dump(); }, "text"_a);
    m.def("setting_table", &setting_table);
    m.def("text_with_arrays", &text_with_arrays, "text"_a, "model"_a, "files"_a);
    m.def("set_fftw_files", &set_fftw_files, "in_float64"_a, "in_float32"_a);
}

}  // namespace stencil::python
