#include "sim/user_kernel/entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>
#include <utility>

#include "kernels/equation/input_values.h"
#include "kernels/equation/operations.h"
#include "sim/model/equations.h"
#include "sim/model/step/stages.h"
#include "sim/problem/start.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil::user_kernel {
namespace {

// Keywords of C++17, and names used by the declarations.
constexpr std::string_view kReserved =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class "
    "compl const const_cast constexpr continue decltype default delete do double dynamic_cast else enum "
    "explicit export extern false final float for friend goto if import inline int long module mutable "
    "namespace new noexcept not not_eq nullptr operator or or_eq private protected public real register "
    "reinterpret_cast return short signed sizeof static static_assert static_cast struct switch template "
    "this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile "
    "wchar_t while xor xor_eq";

// Decodes the code point at `at`, and advances `at`.
char32_t next_letter(const std::string& utf8, std::size_t& at) {
    const auto byte = [&] { return at < utf8.size() ? static_cast<unsigned char>(utf8[at++]) : 0u; };
    const unsigned first = byte();
    if (first < 0x80) return first;
    const int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    char32_t letter = first & (0x3fu >> more);
    for (int i = 0; i < more; ++i) letter = letter << 6 | (byte() & 0x3fu);
    return letter;
}

// NVRTC accepts only ASCII: Greek letters are spelled out, others are numbered.
std::string in_ascii(const std::string& name) {
    static constexpr std::string_view kGreek[] = {
        "alpha", "beta",   "gamma",   "delta", "epsilon", "zeta",    "eta",  "theta", "iota",
        "kappa", "lambda", "mu",      "nu",    "xi",      "omicron", "pi",   "rho",   "sigma",
        "sigma", "tau",    "upsilon", "phi",   "chi",     "psi",     "omega"};
    std::string ascii;
    for (std::size_t at = 0; at < name.size();) {
        const char32_t letter = next_letter(name, at);
        const bool capital = letter >= U'Α' && letter <= U'Ω';
        if (letter < 0x80) {
            ascii += char(letter);
        } else if (capital || (letter >= U'α' && letter <= U'ω')) {
            ascii += kGreek[letter - (capital ? U'Α' : U'α')];
            if (capital) {
                char& head = ascii[ascii.size() - kGreek[letter - U'Α'].size()];
                head = char(head - 'a' + 'A');
            }
        } else {
            ascii += fmt::format("u{:04x}", std::uint32_t(letter));
        }
    }
    return ascii;
}

// Makes a member name: a parameter `new` becomes p.new_, and λ becomes p.lambda.
std::string member(const std::string& name) {
    static const std::vector<std::string> reserved = split(kReserved, ' ');
    std::string ascii = in_ascii(name);
    return contains(reserved, ascii) ? ascii + "_" : ascii;
}

// Refuse duplicate members here; the compiler would report a line that the user did not write.
void require_distinct(const std::vector<std::string>& members) {
    std::set<std::string> seen;
    for (const std::string& name : members)
        if (!seen.insert(name).second)
            throw InputError(
                Given{"kernel"},
                "two names of the model would both be called {} in a kernel: give one another name",
                name);
}

std::string declarations(const Entry& entry) {
    std::string from, to, parameters;
    for (const std::string& name : entry.components) {
        from += fmt::format(" const real* {};", name);
        to += fmt::format(" real* {};", name);
    }
    for (const std::string& name : entry.parameters) parameters += fmt::format(" real {};", name);
    return fmt::format(
        "#line 1 \"{}\"\n"
        "typedef {} real;\n"
        "enum class Boundary {{ zero, insulated, periodic, other }};\n"
        "[[maybe_unused]] constexpr Boundary boundary = Boundary::{};\n"
        "struct From {{{} }};\n"
        "struct To {{{} }};\n"
        "struct Size {{ int nx, ny; long long pitch; }};\n"
        "struct Parameters {{{} }};\n",
        kDeclarationsFile,
        entry.dtype == DType::float32 ? "float" : "double",
        entry.boundary,
        from,
        to,
        parameters);
}

// The launch as constants, so that a kernel need not repeat what its comment says.
std::string launch_constants(const LaunchShape& shape) {
    return fmt::format(
        "namespace launch {{\n"
        "[[maybe_unused]] constexpr int block_x = {}, block_y = {}, tile_x = {}, tile_y = {}, steps = {};\n"
        "}}\n",
        shape.block_x,
        shape.block_y,
        shape.tile_x,
        shape.tile_y,
        shape.steps);
}

std::string types_of(const LaunchShape& shape) {
    return shape.fused ? "From, To, Size, Parameters, int" : "From, To, Size, Parameters";
}

constexpr std::string_view kMark = "stencilscope:";
constexpr int kMostThreads = 1024;       // per block, on every GPU
constexpr int kMostShared = 227 * 1024;  // per block, on the GPUs with the most
constexpr int kMostSteps = 64;
constexpr int kLargestTile = 1 << 20;

std::string_view trimmed(std::string_view text) {
    const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

std::pair<int, int> read_pair(std::string_view value, const std::string& what, int most) {
    const std::size_t x = value.find('x');
    if (x == std::string_view::npos)
        throw InputError("{} '{}': must be columns x rows, as in 32x8", what, quotable(value));
    return {int(parse_integer(value.substr(0, x), what, 1, most)),
            int(parse_integer(value.substr(x + 1), what, 1, most))};
}

std::pair<int, int> read_block(std::string_view value, const std::string& word) {
    const auto block = read_pair(value, word, kMostThreads);
    if (block.first * block.second > kMostThreads)
        throw InputError("{} {}: a block has at most {} threads, and these are {}",
                         word,
                         value,
                         kMostThreads,
                         block.first * block.second);
    return block;
}

// Parses one item between commas, such as "block 32x8".
void take(LaunchShape& shape, std::string_view phrase) {
    const std::size_t space = std::min(phrase.find(' '), phrase.size());
    const std::string word(phrase.substr(0, space));
    const std::string_view value = trimmed(phrase.substr(space));
    static const std::vector<std::string> known{"block", "tile", "steps", "shared", "also"};
    if (!contains(known, word)) throw InputError(unknown_name_message("word", word, known));
    if (word == "block") {
        std::tie(shape.block_x, shape.block_y) = read_block(value, word);
    } else if (word == "also") {
        for (const std::string& block : split(value, ' ')) shape.also.push_back(read_block(block, word));
    } else if (word == "tile") {
        std::tie(shape.tile_x, shape.tile_y) = read_pair(value, word, kLargestTile);
    } else if (word == "steps") {
        shape.steps = int(parse_integer(value, word, 1, kMostSteps));
        shape.fused = true;
    } else {
        shape.shared_bytes = int(parse_integer(value, word, 0, kMostShared));
    }
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
    const auto plans = planned_equations(spec);
    const equation::Equations& equations = plans->equations();
    const equation::Integrator scheme = spec.integrator;
    if (scheme->is_implicit)
        throw InputError(Given{"kernel"},
                         "{} solves by transforms, which a kernel of your own cannot: --integrator euler",
                         scheme->name);
    const auto made = plans->step(scheme, spec.dtype == DType::float64);
    const equation::Program& program = *made;
    if (program.past > 0)
        throw InputError(Given{"kernel"},
                         "{} keeps rates of the step before, which a kernel of your own is not given: "
                         "--integrator "
                         "heun",
                         name_of(scheme));
    if (!equations.elliptic.empty())
        throw InputError(Given{"kernel"},
                         "{} is solved for by transforms, which a kernel of your own cannot",
                         equations.elliptic.front().name);
    if (!equations.kernels.empty())
        throw InputError(Given{"kernel"}, "`conv` takes transforms, which a kernel of your own cannot");
    const auto refuse = [&](const char* what) {
        throw InputError(
            Given{"kernel"}, "{} {}, which a kernel of your own is not given", entry.model, what);
    };
    if (std::ranges::any_of(program.stages, equation::draws_numbers))
        refuse("draws random numbers in every step");
    if (program.globals > 0) refuse("has values of the whole field");
    if (!equations.data.empty()) refuse("reads pictures or arrays");
    for (const ModelParameter& row : spec.model->parameters) entry.parameters.push_back(member(row.name));
    entry.parameters.insert(entry.parameters.end(), {"dt", "dx"});
    entry.of_time = equation::InputValues<double>(program).of_time();
    if (entry.of_time) entry.parameters.emplace_back("t");
    require_distinct(entry.components);
    require_distinct(entry.parameters);
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

std::string name_for_compiler(const std::string& file) {
    std::string name;
    for (const char c : file) name += c == '"' || c == '\\' || c == '\n' ? '_' : c;
    return name;
}

std::string whole_text(const Entry& entry,
                       const LaunchShape& shape,
                       const std::string& text,
                       const std::string& file) {
    return fmt::format(
        "{0}{6}#line 1 \"{1}\"\n{2}\n#line 1 \"{3}\"\n"
        "template <class T> struct StencilscopeEntry {{ static constexpr bool right = false; }};\n"
        "template <> struct StencilscopeEntry<void({4})> {{ static constexpr bool right = true; }};\n"
        "static_assert(StencilscopeEntry<decltype({5})>::right, \"its parameters\");\n",
        declarations(entry),
        name_for_compiler(file),
        text,
        kSignatureFile,
        types_of(shape),
        shape.entry(),
        launch_constants(shape));
}

LaunchShape read_launch_shape(std::string_view text, const std::string& file) {
    LaunchShape shape;
    shape.tile_x = 0;
    int number = 0;
    for (const std::string& line : split(text, '\n')) {
        ++number;
        std::string_view rest = trimmed(line);
        if (!rest.starts_with("//")) continue;
        rest = trimmed(rest.substr(2));
        if (!rest.starts_with(kMark)) continue;
        try {
            for (const std::string& phrase : split(rest.substr(kMark.size()), ','))
                take(shape, trimmed(phrase));
        } catch (const InputError& error) {
            throw InputError("{}, line {}: {}", printable(file), number, error.what());
        }
    }
    if (shape.tile_x == 0) {
        shape.tile_x = shape.block_x;
        shape.tile_y = shape.block_y;
    }
    return shape;
}

}  // namespace stencil::user_kernel
