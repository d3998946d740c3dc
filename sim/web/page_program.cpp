#include "sim/web/page_program.h"

#include <algorithm>

#include "kernels/equation/text/cuda_text.h"
#include "kernels/equation/text/script_text.h"
#include "sim/problem/run_text.h"

namespace stencil {
namespace {

using equation::ArrayInfo;
using equation::Code;
using equation::Ghosts;
using equation::GlslPass;
using equation::GlslPlace;
using equation::GlslProgram;
using equation::GlslSource;
using equation::GlslTexture;
using equation::Inputs;
using equation::Program;
using Json = nlohmann::ordered_json;

Json inputs_json(const Inputs& inputs, PageFunctions& functions) {
    functions.push_back(script_text(inputs));
    Json json{{"inputs", functions.size() - 1}, {"count", inputs.outputs.size()}, {"ofTime", inputs.of_time}};
    if (!inputs.wraps.empty()) json["wraps"] = inputs.wraps;
    return json;
}

bool depends_on(const Inputs& inputs, Code code) {
    return std::ranges::find(inputs.operations, code, &equation::Operation::code) != inputs.operations.end();
}

Json array_json(const ArrayInfo& array, const std::array<int, 4>& lines, PageFunctions& functions) {
    Json json{{"name", without_folders(array.name)}, {"time", array.time}, {"sides", Json::array()}};
    for (std::size_t side = 0; side < lines.size(); ++side) {
        const Ghosts& ghosts = array.ghosts[side];
        Json& one = json["sides"].emplace_back();
        if (ghosts.periodic) continue;
        one = inputs_json(ghosts.coefficients, functions);
        one["line"] = lines[side];
        one["varies"] = depends_on(ghosts.coefficients, side < 2 ? Code::y : Code::x);
    }
    return json;
}

// A texture's channels are filled from blocks of the page's data: the components, then the model's data.
Json texture_json(const GlslTexture& texture,
                  int number,
                  const Program& program,
                  const GlslProgram& glsl,
                  std::size_t components) {
    Json json{{"carried", texture.carried}};
    std::array<int, 4> blocks{-1, -1, -1, -1};
    for (std::size_t c = 0; c < std::min(glsl.state.size(), components); ++c)
        if (glsl.state[c].texture == number) blocks[std::size_t(glsl.state[c].channel)] = int(c);
    for (std::size_t channel = 0; channel < blocks.size(); ++channel)
        if (const int array = texture.arrays[channel]; array >= 0)
            if (const int data = program.arrays[std::size_t(array)].data; data >= 0)
                blocks[channel] = int(components) + data;
    if (std::ranges::any_of(blocks, [](int block) { return block >= 0; })) json["blocks"] = blocks;
    return json;
}

Json place_json(const GlslPlace& place) {
    return {place.texture, place.channel};
}

Json passes_json(const std::vector<GlslPass>& passes) {
    Json json = Json::array();
    for (const GlslPass& pass : passes) {
        Json& one = json.emplace_back(Json{{"from", Json::array()}, {"to", pass.to}, {"shader", pass.text}});
        for (const GlslSource& source : pass.from) one["from"].push_back({source.texture, source.before});
    }
    return json;
}

}  // namespace

Json page_program(const Program& program,
                  const GlslProgram& glsl,
                  std::size_t first_texture,
                  std::size_t components,
                  PageFunctions& functions) {
    const equation::CudaLines lines = cuda_lines(program);
    Json json{{"multistep", program.past > 0}, {"lines", lines.count}};
    json["uniforms"] = inputs_json(program.uniforms, functions);
    json["columns"] = inputs_json(program.columns, functions);
    json["rows"] = inputs_json(program.rows, functions);
    json["arrays"] = Json::array();
    for (std::size_t a = 0; a < program.arrays.size(); ++a)
        json["arrays"].push_back(array_json(program.arrays[a], lines.ghosts[a], functions));
    json["textures"] = Json::array();
    for (std::size_t t = first_texture; t < glsl.textures.size(); ++t)
        json["textures"].push_back(texture_json(glsl.textures[t], int(t), program, glsl, components));
    json["state"] = Json::array();
    for (std::size_t c = 0; c < components; ++c) json["state"].push_back(place_json(glsl.state[c]));
    json["once"] = passes_json(glsl.once);
    json["stages"] = passes_json(glsl.stages);
    return json;
}

}  // namespace stencil
