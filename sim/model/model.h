// What is stepped: components, parameters, and when explicit steps are stable. The built-in models are the
// rows of one table; sliders, command line, spec.json, edits and undo go by a model's parameters.
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

namespace stencil {

struct ModelParameter {
    std::string name;    ///< on the command line and in spec.json
    std::string symbol;  ///< what stands for its value in the help
    double value = 0;    ///< where nothing else is said
    double low = 0;      ///< of its slider
    double high = 1;
    std::string unit;   ///< empty: a pure number
    std::string help;   ///< one line
    std::string about;  ///< a sentence, for a tooltip
    bool positive = false;
    bool logarithmic = false;  ///< the slider
};

/// The boundary of a component on each side of the field.
struct Sides {
    Boundary left = Boundary::zero, right = Boundary::zero, top = Boundary::zero, bottom = Boundary::zero;
};

struct Component {
    std::string name;
    Sides boundary;
};

/// Explicit steps are stable while one parameter is at most a value that depends on all of them.
struct StableLimit {
    std::string parameter;
    std::function<double(std::span<const double> values)> largest;
    double advised = 0;  ///< a value well inside
    double slider = 0;   ///< how far the slider goes where unstable steps are allowed
    std::string why;     ///< what grows beyond the limit
    std::string at;      ///< what happens exactly at it; empty: nothing worth a note
};

namespace equation {
struct Equations;
}

struct Model {
    std::string name;
    std::string help;  ///< one line
    std::string text;  ///< as mathematics, a statement a line
    std::vector<Component> components;
    std::vector<ModelParameter> parameters;
    std::optional<StableLimit> stable;

    bool uniform_boundary = true;  ///< all components' are the same on all sides

    /// What the text means; never null.
    std::shared_ptr<const equation::Equations> equations;
    /// A row of models(): its settings stand for themselves, and its text in no file.
    bool built_in = false;
    /// Of diffusion, du/dt = D lap(u), with D the same everywhere and always: D. Empty for other models.
    std::function<double(std::span<const double> values)> diffusivity;

    /// A formula of the text's names can be read. Asked again the answer is quick.
    bool reads(const std::string& formula) const;

    /// Its place in `parameters`; empty where there is none of that name.
    std::optional<std::size_t> index_of(std::string_view parameter) const;

  private:
    struct Answers {
        std::mutex guard;
        std::map<std::string, bool> reads;
    };
    std::shared_ptr<Answers> answers_ = std::make_shared<Answers>();
};

/// The built-in models; the first one is what runs where none is named.
std::span<const std::shared_ptr<const Model>> models();

/// A built-in model, a preset or a file with a model's text. Throws InputError for an unknown name and for
/// mistakes in a text.
std::shared_ptr<const Model> find_model(std::string_view name);

/// A typed model, under a name of its own or, where that is empty, its title. Throws equation::TextError.
std::shared_ptr<const Model> model_of_text(const std::string& text, const std::string& name = "");

/// A preset as it came along: a file of the same name may say something else.
bool is_preset(const Model& model);

}  // namespace stencil
