#include "kernels/equation/text/glsl_text.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <tuple>

#include "kernels/equation/text/cuda_text.h"
#include "kernels/equation/text/operation_text.h"

namespace stencil::equation {
namespace {

constexpr std::size_t kChannels = 4;
// The minimum that WebGL 2 guarantees: render targets per pass, textures per shader, and uniform vectors.
constexpr std::size_t kTargets = 4, kSamplers = 16, kUniformVectors = 224 - 8;

// These must match random.h and scalar_machine.h.
constexpr const char* kGlslHead = R"(#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
uniform sampler2D lines;
uniform ivec2 n;
uniform uvec4 moment;
)";
constexpr const char* kGlslFunctions = R"(
const float kLeast = 1.17549435e-38;
float from_bits(uint bits) { return uintBitsToFloat(bits); }
float real_of(float a) { return a; }
float real_of(int a) { return float(a); }
float real_of(bool a) { return float(a); }
float negated(float a) { return -a; }
float magnitude(float a) { return abs(a); }
float divide_rn(float a, float b) { return a / b; }
float fma_rn(float a, float b, float c) { return a * b + c; }
float sqrt_rn(float a) { return sqrt(a); }
float floor_of(float a) { return floor(a); }
float two_to(float a) { return intBitsToFloat((int(a) + 127) << 23); }
float scaled(float a, float b) {
    float whole = clamp(b, -252.0, 254.0), half_of = floor(whole * 0.5);
    return a * two_to(half_of) * two_to(whole - half_of);
}
float normal_of(float a) { return a < kLeast ? a * 8388608.0 : a; }
float exponent_of(float a) {
    return float((floatBitsToInt(normal_of(a)) >> 23) - 127) - (a < kLeast ? 23.0 : 0.0);
}
float significand_of(float a) { return intBitsToFloat((floatBitsToInt(normal_of(a)) & 0x7fffff) | 0x3f800000); }

float line(int number, int i) { return texelFetch(lines, ivec2(i + 1, number), 0).r; }
// A neighbour: `edge` itself or, beyond a side, what the side's lines make of it.
float beyond(bool is_beyond, float edge, int number, int i) {
    return is_beyond ? fma_rn(line(number, i), edge, line(number + 1, i)) : edge;
}
)";
constexpr const char* kGlslRandom = R"(
uvec2 product(uint a, uint b) {
    uint a0 = a & 0xffffu, a1 = a >> 16, b0 = b & 0xffffu, b1 = b >> 16;
    uint low = a0 * b0, middle = a1 * b0 + (low >> 16), rest = a0 * b1 + (middle & 0xffffu);
    return uvec2(a * b, a1 * b1 + (middle >> 16) + (rest >> 16));
}
float random_cell(uint stream, ivec2 cell) {
    uvec4 c = uvec4(uvec2(cell), moment.x, stream ^ (moment.y << 16));
    uvec2 key = moment.zw;
    for (int i = 0; i < 10; ++i) {
        uvec2 p = product(0xD2511F53u, c.x), q = product(0xCD9E8D57u, c.z);
        c = uvec4(q.y ^ c.y ^ key.x, q.x, p.y ^ c.w ^ key.y, p.x);
        key += uvec2(0x9E3779B9u, 0xBB67AE85u);
    }
    return float(c.x >> 8) * 5.9604644775390625e-08;
}
)";

std::string glsl_constant(double number) {
    std::string text;
    append(text, "from_bits(0x%xu)", std::bit_cast<std::uint32_t>(float(number)));
    return text;
}

char channel_name(int channel) {
    return "rgba"[channel];
}

// Writes the fragment shader of a stage. `where` locates each array that the stage reads.
class StageShader {
  public:
    using Whereabouts = std::map<int, std::pair<GlslPlace, bool>>;

    StageShader(const Program& program, const CudaLines& lines, const Stage& stage, const Whereabouts& where)
        : program_(program), lines_(lines), stage_(stage), where_(where) {}

    /// `to` lists the textures that the pass writes, each with the next four outputs of the stage.
    GlslPass pass(std::vector<int> to) {
        for (std::size_t i = 0; i < stage_.operations.size(); ++i) append_value(i);
        append_outputs(to.size());
        GlslPass pass{std::move(from_), std::move(to), kGlslHead};
        for (std::size_t i = 0; i < pass.from.size(); ++i) append(pass.text, "uniform sampler2D t%zu;\n", i);
        if (!program_.uniforms.outputs.empty())
            append(pass.text, "uniform vec4 u[%zu];\n", (program_.uniforms.outputs.size() + 3) / kChannels);
        for (std::size_t i = 0; i < pass.to.size(); ++i)
            append(pass.text, "layout(location = %zu) out vec4 o%zu;\n", i, i);
        pass.text += kGlslFunctions;
        if (draws_numbers(stage_)) pass.text += kGlslRandom;
        pass.text +=
            "\nvoid main() {\n"
            "    ivec2 at = ivec2(gl_FragCoord.xy), below = max(at - 1, 0), above = min(at + 1, n - 1);\n"
            "    ivec2 before = (at + n - 1) % n, behind = (at + 1) % n;  // around\n" +
            body_ + "}\n";
        return pass;
    }

  private:
    bool wraps(int array, std::size_t side) const {
        return program_.arrays[std::size_t(array)].ghosts[side].periodic;
    }

    // The coordinate, along the axis `x` or `y`, of the cell to read.
    std::string coordinate(const Operation& o, bool along_x) const {
        const int offset = along_x ? o.dx : o.dy;
        const char* axis = along_x ? ".x" : ".y";
        const bool around = wraps(o.index, along_x ? 0 : 2);
        return std::string(offset == 0  ? "at"
                           : offset < 0 ? (around ? "before" : "below")
                                        : (around ? "behind" : "above")) +
               axis;
    }

    // The four arrays of a texture at a cell, fetched once.
    std::string fetched(const Operation& o, const GlslSource& source) {
        auto known = std::ranges::find(from_, source);
        if (known == from_.end()) known = from_.insert(known, source);
        const auto sampler = std::size_t(known - from_.begin());
        const std::string x = coordinate(o, true), y = coordinate(o, false);
        const auto [name, is_new] =
            fetches_.try_emplace({sampler, x, y}, "f" + std::to_string(fetches_.size()));
        if (is_new)
            append(body_,
                   "    vec4 %s = texelFetch(t%zu, ivec2(%s, %s), 0);\n",
                   name->second.c_str(),
                   sampler,
                   x.c_str(),
                   y.c_str());
        return name->second;
    }

    std::string beyond(int array, std::size_t side, const std::string& edge, const std::string& along) const {
        static constexpr const char* kIsBeyond[] = {
            "at.x == 0", "at.x == n.x - 1", "at.y == 0", "at.y == n.y - 1"};
        const int number = lines_.ghosts[std::size_t(array)][side];
        return std::string("beyond(") + kIsBeyond[side] + ", " + edge + ", " + std::to_string(number) + ", " +
               along + ")";
    }

    // In a corner the conditions of left and right apply first, as in StageRows::fill_ghosts().
    std::string loaded(const Operation& o) {
        const auto& [place, before] = where_.at(o.index);
        std::string text = fetched(o, {place.texture, before}) + '.' + channel_name(place.channel);
        const std::size_t across = o.dx < 0 ? 0 : 1, along = o.dy < 0 ? 2 : 3;
        if (o.dx != 0 && !wraps(o.index, across)) text = beyond(o.index, across, text, coordinate(o, false));
        if (o.dy != 0 && !wraps(o.index, along))
            text = beyond(o.index, along, text, "at.x + " + std::to_string(o.dx));
        return text;
    }

    std::string line(int number, const char* axis, int offset) const {
        std::string text;
        append(text, "line(%d, at.%s + %d)", number, axis, offset);
        return text;
    }

    std::string value_of(const Operation& o) {
        switch (o.code) {
            case Code::constant:
                return glsl_constant(o.number);
            case Code::uniform:
                return "u[" + std::to_string(o.index / 4) + "]." + channel_name(o.index % 4);
            case Code::column:
                return line(o.index, "x", o.dx);
            case Code::row:
                return line(int(program_.columns.outputs.size()) + o.index, "y", o.dy);
            case Code::load:
                return loaded(o);
            case Code::random:
                return "random_cell(" + std::to_string(o.index) + "u, at)";
            default:
                break;
        }
        std::array<std::string, 4> args;
        for (std::size_t k = 0; k < args.size(); ++k)
            if (o.args[k] >= 0) args[k] = "v" + std::to_string(o.args[k]);
        return operation_text(o.code, args);
    }

    void append_value(std::size_t number) {
        const std::string value = value_of(stage_.operations[number]);
        append(body_, "    float v%zu = ", number);
        body_ += value + ";\n";
    }

    void append_outputs(std::size_t targets) {
        for (std::size_t t = 0; t < targets; ++t) {
            append(body_, "    o%zu = vec4(", t);
            for (std::size_t i = t * kChannels; i < (t + 1) * kChannels; ++i) {
                const std::string value = i < stage_.outputs.size()
                                              ? "v" + std::to_string(stage_.outputs[i].value)
                                              : std::string("0");
                body_ += (i % kChannels == 0 ? "" : ", ") + value;
            }
            body_ += ");\n";
        }
    }

    const Program& program_;
    const CudaLines& lines_;
    const Stage& stage_;
    const Whereabouts& where_;
    std::vector<GlslSource> from_;
    std::map<std::tuple<std::size_t, std::string, std::string>, std::string> fetches_;
    std::string body_;
};

class GlslPlanner {
  public:
    GlslPlanner(const Program& program, const GlslProgram* run) : program_(program), run_(run) {
        if (run != nullptr) plan_.textures = run->textures;
    }

    GlslProgram plan() {
        place_outputs(program_.once, once_);
        place_outputs(program_.stages, stages_);
        place_state();
        place_rest();
        add_passes(program_.once, once_, plan_.once);
        add_passes(program_.stages, stages_, plan_.stages);
        for (std::size_t a = 0; a < program_.arrays.size(); ++a) {
            const auto found = at_end_.find(int(a));
            plan_.places.push_back(found == at_end_.end() ? GlslPlace() : found->second);
        }
        return std::move(plan_);
    }

  private:
    // The textures that each stage writes.
    using Targets = std::vector<std::vector<int>>;

    void place_outputs(const std::vector<Stage>& stages, Targets& targets) {
        for (const Stage& stage : stages) {
            std::vector<int> arrays;
            for (const Output& output : stage.outputs) arrays.push_back(output.array);
            targets.push_back(place(arrays));
        }
    }

    // Adds textures for arrays.
    std::vector<int> place(const std::vector<int>& arrays) {
        std::vector<int> added;
        for (std::size_t i = 0; i < arrays.size(); ++i) {
            const std::size_t channel = i % kChannels;
            if (channel == 0) {
                added.push_back(int(plan_.textures.size()));
                plan_.textures.emplace_back();
            }
            plan_.textures.back().arrays[channel] = arrays[i];
            at_end_[arrays[i]] = {added.back(), int(channel)};
        }
        return added;
    }

    // At the end of a step the components are in the arrays `next`.
    void place_state() {
        if (run_ != nullptr) {
            plan_.state = run_->state;
            return;
        }
        std::vector<int> constant;
        for (std::size_t c = 0; c < program_.next.size(); ++c)
            if (!at_end_.contains(program_.next[c])) constant.push_back(int(c));
        place(constant);
        for (std::size_t c = 0; c < program_.next.size(); ++c) {
            const auto found = at_end_.find(program_.next[c]);
            const GlslPlace there = found == at_end_.end() ? at_end_.at(int(c)) : found->second;
            plan_.textures[std::size_t(there.texture)].carried = found != at_end_.end();
            plan_.state.push_back(there);
        }
    }

    // Places the data arrays and the arrays of zeros.
    void place_rest() {
        std::vector<int> rest;
        for (std::size_t a = std::size_t(program_.components); a < program_.arrays.size(); ++a)
            if (!at_end_.contains(int(a))) rest.push_back(int(a));
        place(rest);
    }

    void add_passes(const std::vector<Stage>& stages, const Targets& targets, std::vector<GlslPass>& passes) {
        for (std::size_t i = 0; i < stages.size(); ++i) {
            StageShader::Whereabouts where;
            for (const int array : arrays_read(stages[i])) where[array] = whereabouts(array);
            passes.push_back(StageShader(program_, lines_, stages[i], where).pass(targets[i]));
            for (const int texture : targets[i])
                for (std::size_t c = 0; c < kChannels; ++c)
                    if (const int array = plan_.textures[std::size_t(texture)].arrays[c]; array >= 0)
                        written_[array] = {texture, int(c)};
        }
    }

    // The location of an array, and whether it is read as the previous step left it.
    std::pair<GlslPlace, bool> whereabouts(int array) {
        if (const auto found = written_.find(array); found != written_.end()) return {found->second, false};
        const bool of_state = array < program_.components;
        const GlslPlace there = of_state ? plan_.state[std::size_t(array)] : at_end_.at(array);
        return {there, plan_.textures[std::size_t(there.texture)].carried};
    }

    const Program& program_;
    const GlslProgram* run_;
    CudaLines lines_ = cuda_lines(program_);
    GlslProgram plan_;
    Targets once_, stages_;
    std::map<int, GlslPlace> at_end_, written_;
};

}  // namespace

GlslProgram glsl_program(const Program& program, const GlslProgram* run) {
    return GlslPlanner(program, run).plan();
}

std::string why_no_glsl(const Program& program) {
    if (!program.linear.empty()) return "it needs transforms of whole fields in every step";
    if (couples_all_cells(program)) return "it needs values of the whole field in every step";
    if (program.uniforms.outputs.size() > kUniformVectors * kChannels)
        return "it has more coefficients than a shader can hold";
    const GlslProgram glsl = glsl_program(program);
    for (const std::vector<GlslPass>* passes : {&glsl.once, &glsl.stages})
        for (const GlslPass& pass : *passes)
            if (pass.to.size() > kTargets || pass.from.size() + 1 > kSamplers)
                return "a stage of it reads or writes more fields than a shader can";
    return "";
}

}  // namespace stencil::equation
