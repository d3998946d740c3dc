// Options of VisualPDE (https://visualpde.com): a preset, what it exports, or what its links carry.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stencil::import {

/// Options as texts, under the names that VisualPDE has used since its version of 2023.
class Options {
  public:
    /// Reads JSON, or the object of a preset as JavaScript. Throws InputError.
    static Options read(std::string_view text);
    /// Reads the part of a link after `?`. Throws InputError, also for `?preset=`, since nothing is fetched.
    static Options of_link(std::string_view link);

    /// Whether the file's text names options of VisualPDE; a spec.json does not.
    static bool in(std::string_view text);

    /// An option's value, or its default.
    std::string operator[](const std::string& name) const;
    /// The option with the number of a species: (stem, 2) is STEM_2.
    std::string of(const std::string& stem, int species) const;
    bool on(const std::string& name) const;
    bool given(const std::string& name) const { return values_.contains(name); }
    const std::map<std::string, std::string>& values() const { return values_; }
    /// The options that apply while another view is active.
    Options with(const Options& view) const {
        Options all = view;
        all.values_.insert(values_.begin(), values_.end());
        return all;
    }
    /// The options of the views that are not active.
    const std::vector<Options>& further_views() const { return views_; }

  private:
    std::map<std::string, std::string> values_;
    std::vector<Options> views_;
};

}  // namespace stencil::import
