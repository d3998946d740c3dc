#include "sim/import/model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "sim/files/deflate.h"
#include "sim/files/held_arrays.h"
#include "sim/files/input_file.h"
#include "sim/import/importers.h"
#include "sim/model/text/text_error.h"
#include "sim/model/text/tokens.h"
#include "sim/text/base64.h"
#include "sim/text/error.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

// `using`, because clang-format takes a line that begins with `import` for an import of a module.
using import::Imported;

// Only the beginning of a file is read: in a pattern the stored cells, which make it long, come last.
constexpr std::uintmax_t kMostRead = 1 << 20;

std::string lower_extension(const std::string& file) {
    std::string extension = std::filesystem::path(file).extension();
    std::ranges::transform(
        extension, extension.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    return extension;
}

// Names that look like those of files: if there is no such file, the message should say so.
bool is_named_as_file(const std::string& name) {
    static constexpr auto kEndings =
        std::to_array<std::string_view>({".txt", ".json", ".js", ".vti", ".vtu"});
    return name.find('/') != name.npos ||
           std::ranges::find(kEndings, std::string_view(lower_extension(name))) != kEndings.end();
}

bool is_file(const std::string& name) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(name, ignored) || is_stream(name);
}

// Whether the name is not that of a preset but of a link or file.
bool is_outside(const std::string& name) {
    if (is_link(name)) return true;
    return find_preset(name) == nullptr && (is_file(name) || is_named_as_file(name));
}

// Removes unprintable characters from titles and comments of other programs' files.
Imported printable_import(Imported result) {
    result.text = printable_lines(result.text);
    for (std::string& note : result.notes) note = printable(note);
    return result;
}

std::string brief(const std::string& name) {
    constexpr std::size_t kMost = 60;
    return quotable(name.size() > kMost && is_link(name) ? name.substr(0, kMost) + "..." : name);
}

std::string head_of(InputFile& file) {
    std::string head(std::size_t(std::min(file.size(), kMostRead)), '\0');
    file.read(std::as_writable_bytes(std::span(head)));
    return head;
}

Imported read(const std::string& name) {
    if (name.starts_with(kTextLink)) return {text_of_link(name), {}, {}};
    if (is_link(name)) return printable_import(import::model_of_visualpde(import::Options::of_link(name)));
    const std::string extension = lower_extension(name);
    InputFile file(name);
    if (extension == ".vti") {
        const std::string head = head_of(file);
        if (head.size() < file.size() && head.find("<ImageData") == head.npos)
            file.refuse(fmt::format("there is no <ImageData> in its first {} bytes", head.size()));
        return printable_import(import::model_of_ready(head));
    }
    if (extension == ".vtu") throw InputError("it is a mesh, and fields here are grids");
    if (extension != ".json" && extension != ".js")
        return {
            with_paths_from(std::filesystem::path(name).parent_path(), file.read_text(equation::kMaxText)),
            {},
            {}};
    const std::string text = file.read_text(kMostRead);
    if (extension == ".json" && !import::Options::in(text))
        throw InputError("it has no options of VisualPDE; a run's spec.json is repeated by --spec");
    return printable_import(import::model_of_visualpde(import::Options::read(text)));
}

Imported imported(const std::string& name) {
    try {
        return read(name);
    } catch (const InputError& error) {
        const std::string said = error.what(), own = quotable(name);
        throw InputError(Given{"model", brief(name)},
                         said.starts_with(own + ": ") ? said.substr(own.size() + 2) : said);
    }
}

}  // namespace

std::string with_paths_from(const std::filesystem::path& folder, std::string text, bool whole) {
    const std::vector<equation::Token> tokens = equation::readable_tokens(text);
    for (std::size_t i = tokens.size(); i-- > 1;) {  // from the end, so that the places before stay
        const auto& [kind, name, number, span, spaced] = tokens[i];
        if (kind != equation::TokenKind::string || tokens[i - 1].text != "(" || is_stream(name) ||
            held_array(name))
            continue;
        std::error_code none;  // without a working folder the path stays
        auto path = (folder / name).lexically_normal();
        if (!std::filesystem::exists(path, none)) path = name;
        if (whole) path = std::filesystem::absolute(path, none).lexically_normal();
        if (path != name && !none) text.replace(span.begin, span.end - span.begin, '"' + path.string() + '"');
    }
    return text;
}

FoundModel open_model(const std::string& name) {
    if (!is_outside(name)) return {find_model(name), {}};
    const Imported from = imported(name);
    const std::string stem =
        is_link(name) || is_stream(name) ? "" : printable(std::filesystem::path(name).stem().string());
    try {
        return {model_of_text(from.text, stem, from.notes), from.range, from.arrows, from.colors};
    } catch (const equation::TextError& error) {
        const bool own = from.notes.empty() &&
                         (lower_extension(name) == ".txt" || name.starts_with(kTextLink) || is_stream(name));
        throw InputError(
            Given{"model", brief(name)}, "{}{}", own ? "" : "what came of it cannot be read: ", error.what());
    }
}

ModelText model_text(const std::string& file) {
    Imported from = imported(file);
    return {std::move(from.text), std::move(from.notes)};
}

bool is_model_file(const std::string& name) {
    if (is_link(name)) return true;
    const std::string extension = lower_extension(name);
    if (!is_file(name)) return extension == ".vti" || extension == ".vtu";
    InputFile file(name);
    if (extension == ".json") return import::Options::in(head_of(file));
    // Others are fields.
    if (extension == ".txt") return head_of(file).find('=') != std::string::npos;
    if (extension == ".vti") return head_of(file).find("<RD") != std::string::npos;
    return extension == ".js" || extension == ".txt" || extension == ".vti" || extension == ".vtu";
}

bool is_link(std::string_view name) {
    return name.starts_with("https://") || name.starts_with("http://") || name.starts_with(kTextLink);
}

std::string link_of_text(std::string_view text) {
    return std::string(kTextLink) + base64url(deflated(text));
}

std::string text_of_link(std::string_view link) {
    link.remove_prefix(kTextLink.size());
    const auto bytes = bytes_of_base64(link);
    if (bytes)
        if (auto text = inflated(*bytes, equation::kMaxText)) return std::move(*text);
    throw InputError("the link is damaged or cut: copy all of it, without spaces");
}

}  // namespace stencil
