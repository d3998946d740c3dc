#include "app/commands/commands.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string>

#include "app/cli.h"
#include "app/console.h"
#include "sim/files/atomic_file.h"
#include "sim/machine/machine.h"
#include "sim/machine/roofline.h"
#include "sim/problem/run_spec.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/text/json.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

using Json = nlohmann::ordered_json;

struct DevicesRequest {
    std::string json;  ///< file for the output as JSON; empty: none
    bool quiet = false;
    SettingWords settings;  ///< the backend to measure (auto: all) and the threads of the CPU's copy
};

std::string cuda_version(int encoded) {
    return fmt::format("{}.{}", encoded / 1000, encoded % 1000 / 10);
}

Json describe_cpu(const Machine& machine, int threads, bool measured) {
    return {{"name", machine.cpu_name},
            {"threads", threads},
            {"simd", machine.simd},
            {"memory_bytes", machine.memory.total_bytes},
            {"free_bytes", machine.memory.free_bytes},
            {"copy_gb_per_s", measured ? Json(measure_copy_bandwidth(Device::cpu, threads)) : Json()}};
}

// Opens only the GPU in use, to measure its free memory and bandwidth.
Json describe_gpus(const Machine& machine, bool measured) {
    Json gpus = Json::array();
    for (const CudaDevice& device : machine.cuda.devices) {
        const bool used = device.index == machine.gpu().index;
        Json gpu{{"device", device.index},
                 {"name", device.name},
                 {"compute_capability", capability_name(device.facts.capability)},
                 {"multiprocessors", device.facts.multiprocessors},
                 {"memory_bytes", device.total_bytes},
                 {"free_bytes", used ? Json(machine.gpu_free_bytes) : Json()},
                 {"l2_bytes", device.l2_bytes},
                 {"copy_gb_per_s", nullptr}};
        if (measured && used) gpu["copy_gb_per_s"] = measure_copy_bandwidth(Device::cuda, 1);
        gpus.push_back(std::move(gpu));
    }
    return gpus;
}

// Lists the links between all pairs of GPUs, which opens all of them.
Json describe_links(const Machine& machine) {
    Json links = Json::array();
    for (const CudaDevice& from : machine.cuda.devices)
        for (const CudaDevice& to : machine.cuda.devices) {
            if (from.index == to.index) continue;
            const double rate = measure_link_bandwidth(from.index, to.index);
            links.push_back(
                {{"from", from.index}, {"to", to.index}, {"gb_per_s", rate > 0 ? Json(rate) : Json()}});
        }
    return links;
}

void print_links(const Json& links) {
    for (const Json& link : links) {
        print("link GPU{} to GPU{} ", link.at("from").get<int>(), link.at("to").get<int>());
        if (link.at("gb_per_s").is_null())
            print("none: the one does not reach the other's memory\n");
        else
            print("{:.4g} GB/s (measured, one way)\n", link.at("gb_per_s").get<double>());
    }
}

void print_memory(const Json& device) {
    print("     memory {}", format_bytes(device.at("memory_bytes").get<double>()));
    if (!device.at("free_bytes").is_null())
        print(", free {}", format_bytes(device.at("free_bytes").get<double>()));
    print("\n");
    if (!device.at("copy_gb_per_s").is_null())
        print("     copies {:.4g} GB/s (measured; read and write counted)\n",
              device.at("copy_gb_per_s").get<double>());
}

void print_devices(const Json& json) {
    const Json& cpu = json.at("cpu");
    print("CPU  {}, {} threads, SIMD {}\n",
          cpu.at("name").get<std::string>(),
          cpu.at("threads").get<int>(),
          cpu.at("simd").get<std::string>());
    print_memory(cpu);
    for (const Json& gpu : json.at("gpus")) {
        print("GPU{} {}, compute capability {}, {} multiprocessors, L2 {}\n",
              gpu.at("device").get<int>(),
              gpu.at("name").get<std::string>(),
              gpu.at("compute_capability").get<std::string>(),
              gpu.at("multiprocessors").get<int>(),
              format_bytes(gpu.at("l2_bytes").get<double>()));
        print_memory(gpu);
    }
    print_links(json.at("links"));
    if (acts_as_other_gpu())
        print("STENCILSCOPE_AS_GPU: kernels are planned as on another GPU, {}\n",
              known_gpu(gpu_facts().capability).name);
    const Json& cuda = json.at("cuda");
    for (const Json& line : cuda.at("skipped")) print("left out: {}\n", line.get<std::string>());
    if (json.at("gpus").empty())
        print("GPU  none: {}\n", cuda.at("why_none").get<std::string>());
    else
        print("CUDA driver {}, runtime {}\n",
              cuda.at("driver").get<std::string>(),
              cuda.at("runtime").get<std::string>());
}

int devices_command(const DevicesRequest& request) {
    RunSpec spec;
    set_all(spec, request.settings);
    const Machine machine = query_machine();
    require_backend(spec.backend, machine);
    Json json = program_json();
    const int threads = thread_count(spec.threads, machine.cpu_threads);
    json["cpu"] = describe_cpu(machine, threads, spec.backend != "cuda");
    json["gpus"] = describe_gpus(machine, spec.backend != "cpu");
    json["links"] = spec.backend != "cpu" ? describe_links(machine) : Json::array();
    json["cuda"] = {{"built_in", machine.cuda.built_in},
                    {"driver", cuda_version(machine.cuda.driver_version)},
                    {"runtime", cuda_version(machine.cuda.runtime_version)},
                    {"why_none", machine.cuda.why_none},
                    {"skipped", machine.cuda.skipped}};
    if (!request.json.empty()) write_text_file(request.json, json_text(json), Links::followed);
    if (!request.quiet) print_devices(json);
    return 0;
}

}  // namespace

void add_devices(CLI::App& app, ChosenCommand& chosen) {
    CLI::App* devices =
        app.add_subcommand("devices", "Show CPU, GPUs, memory, driver and measured copy bandwidth");
    const auto request = std::make_shared<DevicesRequest>();
    add_setting(
        *devices, setting_name::backend, "measure only this one: auto (all), cpu or cuda", request->settings);
    add_setting(*devices, setting_name::threads, "CPU threads that copy (default: all)", request->settings);
    add_results(*devices, request->json, request->quiet);
    devices->final_callback([request, &chosen] { chosen = [request] { return devices_command(*request); }; });
}

}  // namespace stencil
