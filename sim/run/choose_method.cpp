#include "sim/run/choose_method.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <span>
#include <stdexcept>

#include "sim/field/field.h"
#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/files/input_file.h"
#include "sim/text/embedded.h"
#include "sim/text/error.h"
#include "sim/text/json.h"

namespace stencil {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::uintmax_t kMaxBytes = 1 << 20;
constexpr std::size_t kMaxEntries = 1000;

// Text members that may be missing.
constexpr std::pair<const char*, std::string MeasuredMachine::*> kWords[] = {
    {"short", &MeasuredMachine::short_name},
    {"command", &MeasuredMachine::command},
    {"date", &MeasuredMachine::date},
    {"driver", &MeasuredMachine::driver},
    {"commit", &MeasuredMachine::commit}};

void require(bool holds, const std::string& what) {
    if (!holds) throw InputError(what);
}

const OrderedJson& list(const OrderedJson& json, const char* name) {
    const OrderedJson& entries = json.at(name);
    require(entries.is_array() && !entries.empty() && entries.size() <= kMaxEntries,
            fmt::format("'{}' has to be a list of 1 to {} entries", name, kMaxEntries));
    return entries;
}

// The functions below throw InputError or an error of the library; both name the member.
std::size_t cell_bytes_of(const OrderedJson& json) {
    const auto dtype = find_dtype(json.at("dtype").get<std::string>());
    require(dtype.has_value(), "'dtype' has to be float32 or float64");
    return bytes_of(*dtype);
}

MeasuredMethod method_of(const OrderedJson& json) {
    MeasuredMethod method{json.at("method"),
                          cell_bytes_of(json),
                          json.value("us_per_call", 0.0),
                          json.value("insulated", 1.0),
                          json.value("periodic", 1.0),
                          {}};
    const auto is_time = [](double time) { return time > 0 && std::isfinite(time); };
    require(method.us_per_call >= 0 && is_time(method.insulated) && is_time(method.periodic),
            "'us_per_call', 'insulated' and 'periodic' have to be positive numbers");
    for (const OrderedJson& entry : list(json, "speeds")) {
        require(entry.is_array() && (entry.size() == 2 || entry.size() == 3),
                "an entry of 'speeds' has to be [edge, us_per_step] or [edge, us_per_step, us_alone]");
        const MeasuredSpeed speed{entry[0], entry[1], entry.back()};
        require(is_time(speed.us_per_step) && is_time(speed.us_alone),
                "'us_per_step' and 'us_alone' have to be above 0");
        require(speed.edge >= 1 && (method.speeds.empty() || speed.edge > method.speeds.back().edge),
                "'speeds' have to be in the order of their edges");
        method.speeds.push_back(speed);
    }
    return method;
}

// The rows of a benchmark have their speeds and the shares of the limits that these are.
std::vector<MeasuredLimits> limits_of(const OrderedJson& rows) {
    std::vector<MeasuredLimits> limits;
    for (const OrderedJson& row : rows) {
        const std::size_t bytes = cell_bytes_of(row);
        if (std::ranges::find(limits, bytes, &MeasuredLimits::cell_bytes) != limits.end()) continue;
        const auto value = [&](const char* name) { return row.value(name, 0.0); };
        const double speed = value("gcells_per_s"), copy = value("of_copy_bandwidth"),
                     issue = value("of_issue_limit");
        if (speed > 0 && copy > 0 && issue > 0) limits.push_back({bytes, speed / copy, speed / issue});
    }
    return limits;
}

MeasuredMachine machine_of(const OrderedJson& json) {
    MeasuredMachine machine;
    machine.name = json.at("machine");
    const std::string backend = json.at("backend");
    require(backend == "cpu" || backend == "cuda", "'backend' has to be cpu or cuda");
    machine.device = backend == "cpu" ? Device::cpu : Device::cuda;
    for (const auto& [name, word] : kWords)
        if (const auto found = json.find(name); found != json.end() && found->is_string())
            machine.*word = found->get<std::string>();
    for (const OrderedJson& entry : list(json, "methods")) machine.methods.push_back(method_of(entry));
    if (json.contains("bench")) machine.limits = limits_of(list(json, "bench"));
    return machine;
}

OrderedJson to_json(const MeasuredMachine& machine) {
    OrderedJson json;
    json["machine"] = machine.name;
    json["backend"] = std::string(name_of(machine.device));
    for (const auto& [name, word] : kWords)
        json[name] = (machine.*word).empty() ? OrderedJson() : OrderedJson(machine.*word);
    json["methods"] = OrderedJson::array();
    for (const MeasuredMethod& method : machine.methods) {
        OrderedJson speeds = OrderedJson::array();
        for (const MeasuredSpeed& speed : method.speeds)
            speeds.push_back({speed.edge, speed.us_per_step, speed.us_alone});
        json["methods"].push_back({{"method", method.name},
                                   {"dtype", method.cell_bytes == sizeof(float) ? "float32" : "float64"},
                                   {"us_per_call", method.us_per_call},
                                   {"insulated", method.insulated},
                                   {"periodic", method.periodic},
                                   {"speeds", speeds}});
    }
    return json;
}

std::vector<MeasuredMachine> read_file(const std::filesystem::path& path) {
    return read_measured(InputFile(path).read_text(kMaxBytes), path.string());
}

// --- Expected times

// Interpolates times between measured sizes as a power of the edge. Above the largest size time grows with
// the number of cells; below the smallest it is constant (launch and synchronisation overhead).
double at_edge(std::span<const MeasuredSpeed> speeds, double edge, double MeasuredSpeed::*time) {
    if (edge <= speeds.front().edge) return speeds.front().*time;
    const MeasuredSpeed& last = speeds.back();
    if (edge >= last.edge) return last.*time * (edge / last.edge) * (edge / last.edge);
    const auto above = std::ranges::upper_bound(speeds, edge, {}, &MeasuredSpeed::edge);
    const MeasuredSpeed& from = *(above - 1);
    const double way = std::log(edge / from.edge) / std::log(above->edge / from.edge);
    return from.*time * std::pow(*above.*time / from.*time, way);
}

// Time of all steps of a call in us. The remaining steps that do not fill a fused pass take at least one
// single step and at most a whole pass.
double us_of_steps(const Method& method, const MeasuredMethod& row, const MethodRequest& request) {
    const double edge = std::sqrt(double(request.shape.nx) * request.shape.ny);
    const double step = at_edge(row.speeds, edge, &MeasuredSpeed::us_per_step);
    if (method.steps_fused == 1) return double(request.steps) * step;
    const double alone = at_edge(row.speeds, edge, &MeasuredSpeed::us_alone);
    if (method.steps_fused == 0) return alone + double(request.steps - 1) * step;
    const long long rest = request.steps % method.steps_fused;
    const double whole = double(request.steps - rest) * step;
    if (rest == 0) return whole;
    const double pass = method.steps_fused * step;
    return whole + alone + (pass - alone) * double(rest - 1) / double(method.steps_fused - 1);
}

double boundary_factor(const MeasuredMethod& row, Boundary boundary) {
    if (boundary == Boundary::zero) return 1;
    return boundary == Boundary::insulated ? row.insulated : row.periodic;
}

bool can_step(const Method& method, const MethodRequest& request) {
    return method.model == request.model && method.device == request.device && !method.jumps &&
           !method.fast &&
           std::size_t(request.shape.nx) * request.cell_bytes >= std::size_t(method.least_row_bytes) &&
           (!method.unsupported_reason ||
            method.unsupported_reason(request.shape, request.cell_bytes).empty());
}

constexpr double kNever = std::numeric_limits<double>::infinity();

// Expected time of a call from the measured figures; can_step() is checked by the caller.
double measured_seconds(const Method& method, const MethodRequest& request) {
    if (method.model != kDiffusion) return kNever;
    for (const MeasuredMethod& row : measured_figures(request.device).machine.methods)
        if (row.name == method.name && row.cell_bytes == request.cell_bytes)
            return 1e-6 * (row.us_per_call +
                           boundary_factor(row, request.boundary) * us_of_steps(method, row, request));
    return kNever;
}

}  // namespace

std::vector<MeasuredMachine> read_measured(std::string_view text, const std::string& file) {
    std::vector<MeasuredMachine> machines;
    try {
        const OrderedJson json = OrderedJson::parse(text, nullptr, false);
        require(json.is_object(), "is not a JSON object");
        if (!json.contains("machines")) return {machine_of(json)};
        for (const OrderedJson& entry : list(json, "machines")) machines.push_back(machine_of(entry));
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        throw InputError("{}: {}", file, error.what());
    }
    return machines;
}

std::string write_measured(const std::vector<MeasuredMachine>& machines) {
    OrderedJson json;
    json["machines"] = OrderedJson::array();
    for (const MeasuredMachine& machine : machines) json["machines"].push_back(to_json(machine));
    return json.dump(1) + "\n";
}

std::optional<std::filesystem::path> measured_path() {
    return user_file("measured.json");
}

std::filesystem::path save_measured(const MeasuredMachine& machine) {
    const auto path = measured_path();
    if (!path) throw MachineError("neither XDG_CONFIG_HOME nor HOME names a folder to keep the figures in");
    std::vector<MeasuredMachine> all;
    try {
        if (std::filesystem::exists(*path)) all = read_file(*path);
    } catch (const InputError&) {
        // An unreadable file is replaced.
    }
    std::erase_if(all, [&](const MeasuredMachine& old) {
        return old.name == machine.name && old.device == machine.device;
    });
    all.push_back(machine);
    std::error_code ignored;
    std::filesystem::create_directories(path->parent_path(), ignored);
    write_text_file(*path, write_measured(all), Links::followed);
    return *path;
}

MeasuredFigures find_figures(Device device, const Machine& machine) {
    MeasuredFigures figures;
    const bool present = device == Device::cpu || machine.has_cuda();
    const std::string name = present ? device_name(machine, device, machine.cpu_threads) : "";
    const auto take = [&](const std::vector<MeasuredMachine>& machines, bool any) {
        const auto found = std::find_if(machines.rbegin(), machines.rend(), [&](const MeasuredMachine& one) {
            return one.device == device && (any || one.name == name);
        });
        if (found == machines.rend()) return false;
        figures.machine = *found;
        figures.of_this_machine = found->name == name;
        return true;
    };
    const auto path = measured_path();
    std::error_code ignored;
    if (path && std::filesystem::exists(*path, ignored)) try {
            if (take(read_file(*path), false)) return figures;
        } catch (const InputError& error) {
            figures.trouble = error.what();
        }
    if (!take(shipped_figures(), false)) take(shipped_figures(), true);
    return figures;
}

const std::vector<MeasuredMachine>& shipped_figures() {
    static const auto all = [] {
        std::vector<MeasuredMachine> machines;
        for (const EmbeddedFile& file : embedded_measured())
            for (MeasuredMachine& one : read_measured(file.text, std::string(file.name)))
                machines.push_back(std::move(one));
        return machines;
    }();
    return all;
}

const MeasuredFigures& measured_figures(Device device) {
    static const Machine machine = query_machine();
    static const MeasuredFigures cpu = find_figures(Device::cpu, machine);
    static const MeasuredFigures cuda = find_figures(Device::cuda, machine);
    return device == Device::cpu ? cpu : cuda;
}

double expected_seconds(const Method& method, const MethodRequest& request) {
    return can_step(method, request) ? measured_seconds(method, request) : kNever;
}

const Method& choose_method(const MethodRequest& request, const std::function<bool(const Method&)>& allowed) {
    const Method* best = nullptr;
    double least = kNever;
    for (const Method& method : methods(request.model)) {
        if (!can_step(method, request) || (allowed && !allowed(method))) continue;
        const double seconds = measured_seconds(method, request);
        // Typed equations have no measured times: later rows of the table are faster.
        if (best && seconds >= least && request.model == kDiffusion) continue;
        best = &method;
        least = seconds;
    }
    if (!best) throw std::logic_error("a device without a method that fits every field");
    return *best;
}

}  // namespace stencil
