#include "sim/run/output/exports.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <system_error>

#include "sim/figure/figure.h"
#include "sim/files/atomic_file.h"
#include "sim/files/image.h"
#include "sim/files/npy.h"
#include "sim/run/output/measures.h"
#include "sim/run/simulation.h"
#include "sim/text/error.h"
#include "sim/text/json_text.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/view/colormap.h"
#include "sim/view/contours.h"

namespace stencil {
namespace {

using Path = std::filesystem::path;

void write_picture(const Path& path, const Field& field, const Colormap& colors, const RangeRule& rule) {
    write_png(path, field, colors, find_range(field, rule, colors.diverging));
}

figure::FigurePanel panel(
    std::string title, const Field& field, const Colormap& colors, const RangeRule& rule, std::string label) {
    return {std::move(title), &field, &colors, find_range(field, rule, colors.diverging), std::move(label)};
}

std::string start_text(const RunSpec& spec, const std::string& formula) {
    const auto given = spec.initials.find(formula);
    const bool first = formula == spec.model->components.front().name;
    const std::string what = given != spec.initials.end() ? given->second : first ? spec.initial : "";
    return what.empty() ? "Start" : "Start: " + Path(what).filename().string();
}

std::string end_text(const RunOutput& run) {
    const std::string time = run.spec.unit_time.given() ? time_text(run.spec, run.steps) : std::string();
    return fmt::format("After {} steps{}{}", run.steps, time.empty() ? "" : ", ", time);
}

std::string caption(const RunOutput& run) {
    const auto& t = run.timings;
    // What edits changed on the way is told as it was at first and at the end.
    const auto change = [](const std::string& first, const std::string& last) {
        return first == last ? first : fmt::format("{} at first and {} at the end", first, last);
    };
    const Field& end = run.fields.front().end;
    std::string text = fmt::format("{}{}x{} cells, {}, {} boundary",
                                   run.spec.model->equations ? run.spec.model->name + ", " : "",
                                   end.nx(),
                                   end.ny(),
                                   name_of(end.dtype()),
                                   change(std::string(boundary_text(run.spec)), t.at("boundary")));
    for (const ModelParameter& row : run.spec.model->parameters)
        text += fmt::format(", {} {}",
                            row.name,
                            change(format_real(run.spec.parameter(row.name)),
                                   format_real(t.at("parameters").at(row.name).get<double>())));
    text += fmt::format(", {} steps", run.steps);
    if (!t.at("jumps").is_null())
        text += fmt::format("; {} on {}: {} jump{} in {:.4g} ms",
                            t.at("method").get<std::string>(),
                            t.at("device").get<std::string>(),
                            t.at("jumps").get<long long>(),
                            t.at("jumps") == 1 ? "" : "s",
                            t.at("seconds").get<double>() * 1e3);
    else if (run.steps > 0)
        text += fmt::format("; {} on {}: {:.3g} us/step, {:.3g} GCells/s",
                            t.at("method").get<std::string>(),
                            t.at("device").get<std::string>(),
                            t.at("us_per_step").get<double>(),
                            t.at("gcells_per_s").get<double>());
    return text;
}

// A row of each field.
template <figure::FigureFormat format>
void write_run_figure(const Path& path, const RunOutput& run, const OutputField&) {
    const RunSpec& spec = run.spec;
    const Colormap& colors = field_colors(spec);
    std::vector<figure::FigurePanel> panels;
    for (const OutputField& f : run.fields) {
        panels.push_back(panel(start_text(spec, f.formula), *f.start, colors, spec.range, f.formula));
        panels.push_back(panel(end_text(run), f.end, colors, spec.range, f.formula));
        for (figure::FigurePanel& values : std::span(panels).last(2))
            values.contours = contour_levels(spec.contours, values.range);
        panels.push_back(panel("Laplacian",
                               f.laplacian,
                               laplacian_colors(spec, true),
                               spec.laplacian_range,
                               "Laplacian of " + f.formula));
    }
    for (figure::FigurePanel& one : panels) {
        one.cell = cell_size(spec);
        one.unit = spec.unit_length.name;
    }
    figure::write_figure(path, format, panels, caption(run));
}

constexpr bool kOfRun = true;

constexpr Export kExports[] = {
    {"initial.npy",
     true,
     "the field at the start",
     [](auto& path, auto&, auto& field) { write_npy(path, *field.start); }},
    {"field.npy",
     true,
     "the field at the end",
     [](auto& path, auto&, auto& field) { write_npy(path, field.end); }},
    {"laplacian.npy",
     true,
     "its Laplacian",
     [](auto& path, auto&, auto& field) { write_npy(path, field.laplacian); }},
    {"field.png",
     true,
     "the field at the end, one pixel a cell",
     [](auto& path, auto& run, auto& field) {
         write_picture(path, field.end, field_colors(run.spec), run.spec.range);
     }},
    {"laplacian.png",
     true,
     "its Laplacian, one pixel a cell",
     [](auto& path, auto& run, auto& field) {
         write_picture(path, field.laplacian, laplacian_colors(run.spec, false), run.spec.laplacian_range);
     }},
    {"figure.png",
     true,
     "start, end and Laplacian with titles, axes and colour bars",
     write_run_figure<figure::FigureFormat::png>,
     kOfRun},
    {"figure.svg", false, "the same for the web", write_run_figure<figure::FigureFormat::svg>, kOfRun},
    {"figure.pdf", false, "the same for print", write_run_figure<figure::FigureFormat::pdf>, kOfRun},
    {"timings.json",
     true,
     "what was run, and how fast",
     [](auto& path, auto& run, auto&) { write_text_file(path, json_text(run.timings)); },
     kOfRun},
    {"spec.json",
     true,
     "the settings, to run it again with --spec",
     [](auto& path, auto& run, auto&) { write_text_file(path, json_text(to_json(run.spec))); },
     kOfRun},
    {"statistics.csv",
     false,
     "min, max, mean and total: at the start, every N steps (--every) and at the end",
     [](auto& path, auto& run, auto& field) {
         write_text_file(path, statistics_csv(field.tables->measures, table_units(run.spec)));
     }},
    {"histogram.csv",
     false,
     "how many cells at the end hold which values",
     [](auto& path, auto&, auto& field) { write_text_file(path, histogram_csv(*field.tables->histogram)); }},
    {"profile.csv",
     false,
     "the values at the end along --profile",
     [](auto& path, auto& run, auto& field) {
         write_text_file(path, profile_csv(*field.tables->profile, table_units(run.spec)));
     },
     false,
     "profile"},
    {"probes.csv",
     false,
     "the values of each --probe, at the steps of statistics.csv",
     [](auto& path, auto& run, auto& field) {
         write_text_file(path, probes_csv(field.tables->measures, table_units(run.spec)));
     },
     false,
     "probe"},
};

constexpr FrameExport kFrameExports[] = {
    {"frames.png",
     ".png",
     "with --every: a numbered picture of each moment",
     [](auto& path, auto& field, auto& spec, ValueRange range) {
         write_png(path, field, field_colors(spec), range);
     }},
    {"frames.npy",
     ".npy",
     "with --every: a numbered array of each moment",
     [](auto& path, auto& field, auto&, ValueRange) { write_npy(path, field); }},
};

bool chosen(const RunSpec& spec, std::string_view name) {
    return contains(spec.exports, name);
}

// field.npy with the suffix "-u" is field-u.npy.
std::string file_name(const Export& row, const std::string& suffix) {
    const Path name = row.name;
    return name.stem().string() + (row.of_run ? "" : suffix) + name.extension().string();
}

}  // namespace

const Colormap& field_colors(const RunSpec& spec) {
    return colormap(spec.colormap.empty() ? "viridis" : spec.colormap);
}

const Colormap& laplacian_colors(const RunSpec& spec, bool in_figure) {
    if (!spec.laplacian_colormap.empty()) return colormap(spec.laplacian_colormap);
    return colormap(spec.colormap.empty() || in_figure ? "inferno" : spec.colormap);
}

std::span<const Export> exports() {
    return kExports;
}

std::span<const FrameExport> frame_exports() {
    return kFrameExports;
}

std::vector<std::string> default_exports() {
    std::vector<std::string> names;
    for (const Export& row : kExports)
        if (row.standard) names.emplace_back(row.name);
    return names;
}

bool is_table_export(std::string_view name) {
    return name.ends_with(".csv");
}

bool is_frame_export(std::string_view name) {
    return std::ranges::find(kFrameExports, name, &FrameExport::name) != std::end(kFrameExports);
}

void add_export(std::string_view item, std::vector<std::string>& names) {
    std::vector<std::string> added{std::string(item)};
    if (item == "default") {
        added = default_exports();
    } else if (item == "all") {
        added.clear();
        for (const Export& row : kExports)
            if (row.needs.empty()) added.emplace_back(row.name);
    } else {
        std::vector<std::string> known = names_of(kExports);
        for (const FrameExport& row : kFrameExports) known.emplace_back(row.name);
        known.insert(known.end(), {"default", "all"});
        if (!contains(known, item))
            throw InputError("--export: " + unknown_name_message("file", item, known));
    }
    for (const std::string& name : added)
        if (!contains(names, name)) names.push_back(name);
}

std::string why_not_exported(std::string_view name, const RunSpec& spec) {
    const bool cell_a_pixel = name == "field.png" || name == "laplacian.png" || name == "frames.png";
    if (!cell_a_pixel || !spec.size || 1LL * spec.size->nx * spec.size->ny <= kMaxPngCells) return "";
    return fmt::format("{}x{} is more than a PNG of one pixel a cell can hold here ({} cells)",
                       spec.size->nx,
                       spec.size->ny,
                       kMaxPngCells);
}

void check_exports(const RunSpec& spec) {
    for (const std::string& name : spec.exports)
        if (const std::string why = why_not_exported(name, spec); !why.empty())
            throw InputError(fmt::format("{}: {}: leave it out with --export", name, why));
}

double export_bytes_per_cell(const RunSpec& spec) {
    // Percentiles sort a copy; a PNG needs its pixels, the filtered ones and the compressed ones.
    const bool pictures =
        chosen(spec, "field.png") || chosen(spec, "laplacian.png") || chosen(spec, "frames.png");
    return double(bytes_of(spec.dtype)) + (pictures ? 12 : 0);
}

MeasureTables make_tables(Solver& solver,
                          const RunSpec& now,
                          Measures measures,
                          const std::optional<ProfileLine>& line) {
    constexpr int kHistogramBins = 256;
    MeasureTables tables{std::move(measures), {}, {}};
    const ValueRange range = measure_range(solver, Quantity::value, now.range, field_colors(now).diverging);
    tables.histogram = measure_histogram(solver, Quantity::value, range, kHistogramBins);
    if (line) tables.profile = measure_profile(solver, Quantity::value, *line);
    return tables;
}

std::vector<std::string> output_formulas(const RunSpec& spec) {
    std::vector<std::string> formulas = names_of(spec.model->components);
    if (!contains(formulas, spec.shown())) formulas.push_back(spec.shown());
    return formulas;
}

std::string output_suffix(const RunSpec& spec, const std::string& formula) {
    const std::vector<std::string> components = names_of(spec.model->components);
    if (!contains(components, formula)) return "-shown";
    return components.size() > 1 || !contains(components, spec.shown()) ? "-" + formula : "";
}

std::vector<OutputField> output_fields(Simulation& simulation) {
    const RunSpec& now = simulation.now();
    std::vector<OutputField> fields;
    for (const std::string& formula : output_formulas(now)) {
        simulation.solver().show(formula);
        fields.push_back({formula,
                          output_suffix(now, formula),
                          simulation.start_of(formula),
                          simulation.field(),
                          simulation.laplacian(),
                          std::nullopt});
    }
    simulation.solver().show(now.shown());
    return fields;
}

std::vector<std::string> export_files(const RunSpec& spec) {
    std::vector<std::string> names;
    for (const Export& row : kExports)
        for (const std::string& formula : output_formulas(spec))
            if (chosen(spec, row.name)) names.push_back(file_name(row, output_suffix(spec, formula)));
    return names;
}

WrittenFiles write_exports(const Path& folder, const RunOutput& run, WriteProgress* progress) {
    WrittenFiles written;
    std::vector<std::pair<const Export*, const OutputField*>> files;
    const auto write = [&](const Export& row, const OutputField& field) {
        const Path path = folder / file_name(row, field.suffix);
        try {
            row.write(path, run, field);
            written.files.push_back(path);
        } catch (const std::bad_alloc&) {
            written.failures.push_back(path.string() + ": not enough host memory");
        } catch (const std::exception& error) {
            written.failures.emplace_back(error.what());
        }
    };
    for (const Export& row : kExports) {
        if (!chosen(run.spec, row.name)) continue;
        for (const OutputField& field : run.fields) {
            if (is_table_export(row.name) && !field.tables) continue;
            files.emplace_back(&row, &field);
            if (row.of_run) break;
        }
    }
    if (progress) progress->all = files.size();
    for (const auto& [row, field] : files) {
        if (progress && progress->cancelled) break;
        write(*row, *field);
        if (progress) ++progress->done;
    }
    return written;
}

FrameWriter::FrameWriter(Path folder, const RunSpec& spec, FrameProgress progress)
    : folder_(std::move(folder)),
      spec_(std::make_shared<RunSpec>(spec)),
      progress_(std::move(progress)),
      digits_(std::max(6, int(std::to_string(spec.steps).size()))) {
    // A checkpoint keeps the ends alone.
    for (auto& [formula, range] : progress_.ranges) range.scale = spec.range.scale;
    if (spec.every == 0) return;
    for (const FrameExport& row : kFrameExports)
        if (chosen(spec, row.name)) kinds_.push_back(&row);
}

bool FrameWriter::has_pictures() const {
    return std::ranges::any_of(kinds_, [](const FrameExport* kind) { return kind->ending == ".png"; });
}

void FrameWriter::write(Simulation& simulation) {
    // It may have been removed in mid-run; where it cannot be made again, the file says why.
    std::error_code ignored;
    std::filesystem::create_directories(folder_, ignored);
    for (const std::string& formula : output_formulas(*spec_)) {
        simulation.solver().show(formula);
        write(simulation.field(), formula, simulation.step());
    }
    simulation.solver().show(simulation.now().shown());
}

void FrameWriter::write(const Field& field, const std::string& formula, long long step) {
    if (!progress_.ranges.contains(formula) || spec_->range_per_frame)
        progress_.ranges[formula] = find_range(field, spec_->range, field_colors(*spec_).diverging);
    const std::string start = "field" + output_suffix(*spec_, formula);
    for (const FrameExport* kind : kinds_) {
        kind->write(folder_ / fmt::format("{}_{:0{}}{}", start, step, digits_, kind->ending),
                    field,
                    *spec_,
                    progress_.ranges[formula]);
        ++progress_.count;
    }
}

void FrameWriter::remove_later(long long step) const {
    std::error_code ignored;
    std::vector<Path> later;
    for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored)) {
        const Path name = entry.path().filename();
        const std::string stem = name.stem().string();
        const std::string digits = stem.substr(stem.rfind('_') + 1);
        const bool ours = (stem.starts_with("field_") || stem.starts_with("field-")) && digits.size() >= 6 &&
                          std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; }) &&
                          std::ranges::find(kFrameExports, name.extension().string(), &FrameExport::ending) !=
                              std::end(kFrameExports);
        if (ours && std::strtoll(digits.c_str(), nullptr, 10) > step) later.push_back(entry.path());
    }
    for (const Path& file : later) std::filesystem::remove(file, ignored);
}

}  // namespace stencil
