// Models: components, parameters, boundaries and stability limits. The built-in models are rows of one table;
// sliders, command line, spec.json, scheduled changes and undo all go by a model's parameters.
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
    std::string name;    ///< on the command line and in spec.json
    std::string symbol;  ///< placeholder for its value in the help
    double value = 0;    ///< default
    double low = 0;      ///< lower end of the slider
    double high = 1;
    std::string unit;   ///< empty: a pure number
    std::string help;   ///< one line
    std::string about;  ///< a sentence, for a tooltip
    bool positive = false;
    bool logarithmic = false;  ///< the slider
};

struct Component {
    std::string name;
};

/// Stability limit of explicit steps: one parameter must not exceed a number.
struct StableLimit {
    std::string parameter;
    double largest = 0;
    double advised = 0;  ///< recommended value, well inside the limit
    double slider = 0;   ///< slider maximum where unstable steps are allowed
    std::string why;     ///< which modes grow beyond the limit
    std::string at;      ///< what happens exactly at the limit, as a note; empty: no note
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
    std::optional<StableLimit> stable;

    Boundary boundary = Boundary::zero;  ///< of all components on all sides
    bool uniform_boundary = true;        ///< else `boundary` is none of the text's

    /// The analysed text; never null.
    std::shared_ptr<const equation::Equations> equations;
    /// The model is a row of models(), with settings of its own instead of a text in a file.
    bool built_in = false;
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

/// The built-in models; the first is the default.
std::span<const std::shared_ptr<const Model>> models();

/// Finds a built-in model or a preset. Throws InputError for unknown names.
std::shared_ptr<const Model> find_model(std::string_view name);

/// Makes a model from a text, named `name` or, if that is empty, by its title. `notes` come before those of
/// its equations. Throws equation::TextError.
std::shared_ptr<const Model> model_of_text(const std::string& text,
                                           const std::string& name = "",
                                           std::vector<std::string> notes = {});

/// A model that comes with the program: a text of assets/models, embedded in the binary.
using Preset = EmbeddedFile;

/// All presets in alphabetical order of their files.
std::span<const Preset> presets();

/// Null if there is no such preset.
const Preset* find_preset(std::string_view name);

/// Whether the model's text equals the preset of its name, and not a file of that name.
bool is_preset(const Model& model);

}  // namespace stencil
