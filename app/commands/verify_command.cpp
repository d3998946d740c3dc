#include "app/commands/commands.h"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>
#include <string>

#include "app/console.h"
#include "app/interrupt.h"
#include "app/progress_bar.h"
#include "app/run_options.h"
#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/text/json.h"
#include "sim/verify/verify.h"

namespace stencil {
namespace {

struct VerifyRequest {
    VerifySpec spec;
    std::string out;   ///< folder for verify.json and certificate.json; empty: none are written
    std::string json;  ///< file for the report; empty: none
    bool quiet = false;
};

int verify_command(const VerifyRequest& request) {
    namespace fs = std::filesystem;
    watch_for_interrupts();
    check_json_file(request.json, request.out, request.spec.models);
    if (!request.out.empty()) make_folder(request.out, "out");
    const Machine machine = query_machine();
    Verification verification(request.spec, machine);
    {
        ProgressLine progress(request.quiet);
        while (!verification.done() && interrupt_signal() == 0) {
            verification.work();
            const VerifyRow& row = verification.rows().back();
            progress.clear();
            if (!row.problem.empty())
                note_text(row_text(row));
            else if (!request.quiet)
                print_text(row_text(row));
            if (progress.due()) progress.show(fmt::format("{:3.0f}%", 100 * verification.share()));
        }
    }
    std::vector<fs::path> files;
    const auto put =
        [&](const fs::path& path, const nlohmann::ordered_json& json, Links links = Links::replaced) {
            write_text_file(path, json_text(json), links);
            files.push_back(path);
        };
    if (!request.out.empty()) {
        put(fs::path(request.out) / "verify.json", verification.report());
        if (verification.done() && request.spec.models.empty())
            put(fs::path(request.out) / "certificate.json", verification.certificate());
    }
    if (!request.json.empty()) put(request.json, verification.report(), Links::followed);
    if (!request.quiet) {
        print_text("\n" + verification.summary());
        print_written(files);
    }
    if (interrupt_signal() == 0) return verification.differing() > 0 ? 1 : 0;
    note("stencilscope: interrupted after {} comparisons\n", verification.rows().size());
    return 128 + interrupt_signal();
}

}  // namespace

void add_verify(CLI::App& app, ChosenCommand& chosen) {
    CLI::App* verify = app.add_subcommand(
        "verify",
        "Check this machine: every method against the reference, every model by every way of stepping it");
    const auto request = std::make_shared<VerifyRequest>();
    verify->add_flag("--quick", request->spec.quick, "one size, fewer compilations: under a minute");
    add_texts(*verify,
              "model",
              "NAME|FILE",
              "this model alone, e.g. a text of your own; may be repeated",
              [&request = *request](const std::string& text) { request.spec.models.push_back(text); });
    add_folder(*verify, "out", "folder for verify.json and certificate.json", request->out);
    add_results(*verify, request->json, request->quiet);
    verify->final_callback([request, &chosen] { chosen = [request] { return verify_command(*request); }; });
}

}  // namespace stencil
