#include "sim/user_kernel/entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kernels/equation/input_values.h"
#include "sim/model/equations.h"
#include "sim/model/step/stages.h"
#include "sim/run/start.h"
#include "sim/text/error.h"

namespace stencil::user_kernel {
namespace {

// A parameter called `new` is p.new_.
std::string member(const std::string& name) {
    static const std::set<std::string> keywords{
        "and",     "asm",      "auto",     "bool",     "break",     "case",     "catch",    "char",
        "class",   "const",    "delete",   "do",       "double",    "else",     "enum",     "explicit",
        "export",  "extern",   "false",    "final",    "float",     "for",      "friend",   "goto",
        "if",      "inline",   "int",      "long",     "new",       "not",      "operator", "or",
        "private", "public",   "real",     "register", "return",    "short",    "signed",   "sizeof",
        "static",  "struct",   "switch",   "this",     "throw",     "true",     "try",      "typeid",
        "union",   "unsigned", "using",    "virtual",  "void",      "while",    "volatile", "xor",
        "module",  "import",   "typename", "template", "protected", "namespace"};
    return keywords.contains(name) ? name + "_" : name;
}

bool draws_numbers(const equation::Program& program) {
    return std::ranges::any_of(program.stages, [](const equation::Stage& stage) {
        return std::ranges::any_of(stage.operations,
                                   [](const auto& o) { return o.code == equation::Code::random; });
    });
}

std::string declarations(const Entry& entry) {
    std::string from, to, parameters;
    for (const std::string& name : entry.components) {
        from += fmt::format(" const real* {};", name);
        to += fmt::format(" real* {};", name);
    }
    for (const std::string& name : entry.parameters) parameters += fmt::format(" real {};", name);
    return fmt::format(
        "typedef {} real;\n"
        "enum class Boundary {{ zero, insulated, periodic, other }};\n"
        "[[maybe_unused]] constexpr Boundary boundary = Boundary::{};\n"
        "struct From {{{} }};\n"
        "struct To {{{} }};\n"
        "struct Size {{ int nx, ny, pitch; }};\n"
        "struct Parameters {{{} }};\n",
        entry.dtype == DType::float32 ? "float" : "double",
        entry.boundary,
        from,
        to,
        parameters);
}

std::string types_of(const LaunchShape& shape) {
    return shape.fused ? "From, To, Size, Parameters, int" : "From, To, Size, Parameters";
}

}  // namespace

std::string boundary_of(const Problem& spec) {
    return spec.boundary_as_typed ? "other" : std::string(name_of(spec.boundary));
}

Entry entry_of(const Problem& spec) {
    Entry entry;
    entry.model = spec.model->name;
    entry.dtype = spec.dtype;
    for (const Component& component : spec.model->components)
        entry.components.push_back(member(component.name));
    entry.boundary = boundary_of(spec);
    if (!spec.is_general()) {
        entry.parameters = {"c"};
        return entry;
    }
    const equation::Equations equations = run_equations(spec);
    const equation::SteppingScheme scheme = spec.scheme();
    if (scheme == equation::SteppingScheme::imex)
        throw InputError(
            "--kernel: imex solves by transforms, which a kernel of your own cannot: --stepper euler");
    const equation::Program program = equation::make_program(equations, scheme, spec.dtype == DType::float64);
    const auto refuse = [&](const char* what) {
        throw InputError(
            fmt::format("--kernel: {} {}, which a kernel of your own is not given", entry.model, what));
    };
    if (draws_numbers(program)) refuse("draws random numbers in every step");
    if (!equations.data.empty()) refuse("reads pictures or arrays");
    for (const ModelParameter& row : spec.model->parameters) entry.parameters.push_back(member(row.name));
    entry.parameters.insert(entry.parameters.end(), {"dt", "dx"});
    entry.of_time = equation::InputValues<double>(program).of_time();
    if (entry.of_time) entry.parameters.emplace_back("t");
    return entry;
}

std::vector<double> parameter_values(const Entry& entry,
                                     const StepParameters& params,
                                     double spacing,
                                     double t) {
    if (entry.parameters.size() == 1) return {params.coefficient};
    std::vector<double> values = params.values;
    values.insert(values.end(), {params.dt, spacing});
    if (entry.of_time) values.push_back(t);
    return values;
}

std::string signature(const LaunchShape& shape) {
    return fmt::format("extern \"C\" __global__ void {}(From from, To to, Size size, Parameters p{})",
                       shape.entry(),
                       shape.fused ? ", int n" : "");
}

std::string whole_text(const Entry& entry,
                       const LaunchShape& shape,
                       const std::string& text,
                       const std::string& file) {
    std::string name;
    for (const char c : file) name += c == '"' || c == '\\' || c == '\n' ? '_' : c;
    return fmt::format(
        "{0}#line 1 \"{1}\"\n{2}\n#line 1 \"{3}\"\n"
        "template <class T> struct StencilscopeEntry {{ static constexpr bool right = false; }};\n"
        "template <> struct StencilscopeEntry<void({4})> {{ static constexpr bool right = true; }};\n"
        "static_assert(StencilscopeEntry<decltype({5})>::right, \"its parameters\");\n",
        declarations(entry),
        name,
        text,
        kSignatureFile,
        types_of(shape),
        shape.entry());
}

}  // namespace stencil::user_kernel
