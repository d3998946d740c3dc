// Parsers and formatters of single settings, called by the table of settings. Parsers throw InputError, one
// line that names the option.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sim/run/run_spec.h"
#include "sim/text/json.h"

namespace stencil {

void set_size(RunSpec& spec, std::string_view text);
nlohmann::json get_size(const RunSpec& spec);
void set_boundary(RunSpec& spec, std::string_view text);
void set_initial(RunSpec& spec, std::span<const std::string> texts);
nlohmann::json get_initial(const RunSpec& spec);
void set_equation(RunSpec& spec, std::span<const std::string> texts);
void set_sensitivities(RunSpec& spec, std::span<const std::string> parameters);
nlohmann::json get_equation(const RunSpec& spec);
nlohmann::json get_model(const RunSpec& spec);
void set_dt(RunSpec& spec, std::string_view text);
void set_dx(RunSpec& spec, std::string_view text);
void set_stepper(RunSpec& spec, std::string_view text);
void set_show(RunSpec& spec, std::string_view text);
void set_dtype(RunSpec& spec, std::string_view text);
std::string read_method(std::string_view text);
std::string read_backend(std::string_view text);
std::string read_colormap(std::string_view text);
void set_exports(RunSpec& spec, std::string_view text);
void add_edits(RunSpec& spec, std::span<const std::string> texts);
nlohmann::json get_edits(const RunSpec& spec);
void add_probes(RunSpec& spec, std::span<const std::string> texts);
nlohmann::json get_probes(const RunSpec& spec);
void add_profiles(RunSpec& spec, std::span<const std::string> texts);
nlohmann::json get_profiles(const RunSpec& spec);
void add_bookmarks(RunSpec& spec, std::span<const std::string> texts);
nlohmann::json get_bookmarks(const RunSpec& spec);
void set_model(RunSpec& spec, std::string_view text);
void set_parameters(RunSpec& spec, std::span<const std::string> texts);
nlohmann::json get_parameters(const RunSpec& spec);

}  // namespace stencil
