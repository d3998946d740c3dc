// Models: components, parameters, boundaries and text. Sliders, command line, spec.json, scheduled changes
// and undo all go by a model's parameters.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/field/boundary.h"
#include "kernels/methods/method.h"
#include "sim/text/embedded.h"

namespace stencil {

struct ModelParameter {
    std::string name;  ///< on the command line and in spec.json
    double value = 0;  ///< default
    double low = 0;    ///< lower end of the slider
    double high = 1;
    std::string unit;  ///< empty: a pure number
};

struct Component {
    std::string name;
};

namespace equation {
struct Equations;
}

struct Model {
    std::string name;
    std::string help;  ///< one line
    std::string text;  ///< the equations, one statement per line
    std::vector<Component> components;
    std::vector<ModelParameter> parameters;

    Boundary boundary = Boundary::zero;  ///< of all components on all sides
    bool uniform_boundary = true;        ///< otherwise `boundary` does not describe the text's conditions

    /// The analysed text; never null.
    std::shared_ptr<const equation::Equations> equations;
    /// The diffusivity D if the model is du/dt = D lap(u) with constant, uniform D; empty otherwise. Such
    /// models can use all diffusion methods.
    std::function<double(std::span<const double> values)> diffusivity;

    /// Whether a formula in the model's names is valid. The answer is cached.
    bool reads(const std::string& formula) const;

    /// Index in `parameters`; empty if there is no such parameter.
    std::optional<std::size_t> index_of(std::string_view parameter) const;

  private:
    struct Answers {
        std::mutex guard;
        std::map<std::string, bool> reads;
    };
    std::shared_ptr<Answers> answers_ = std::make_shared<Answers>();
};

/// The preset of a run for which no model is given.
inline constexpr std::string_view kDefaultModel = "diffusion";

/// The model of a preset. Throws InputError for unknown names.
std::shared_ptr<const Model> find_model(std::string_view name);

/// Makes a model from a text, named `name` or, if that is empty, by its title. `notes` precede those of its
/// equations. If a model of the same text is in use, the text is not compiled again. Throws
/// equation::TextError.
std::shared_ptr<const Model> model_of_text(const std::string& text,
                                           const std::string& name = "",
                                           std::vector<std::string> notes = {});

/// A model that comes with the program: a text of assets/models, embedded in the binary.
using Preset = EmbeddedFile;

/// All presets in alphabetical order of their files.
std::span<const Preset> presets();

/// Null if there is no such preset.
const Preset* find_preset(std::string_view name);

/// Whether the model's text is that of the preset of this name (and not that of a file of this name).
bool is_preset(const Model& model);

}  // namespace stencil
