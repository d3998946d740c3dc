#include "sim/user_kernel/launch_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil::user_kernel {
namespace {

constexpr std::string_view kMark = "stencilscope:";
constexpr int kMostThreads = 1024;       // per block, on every GPU
constexpr int kMostShared = 227 * 1024;  // per block, on the GPUs with the most
constexpr int kMostSteps = 64;
constexpr int kLargestTile = 1 << 20;

std::string_view trimmed(std::string_view text) {
    const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

std::pair<int, int> read_pair(std::string_view value, const std::string& what, int most) {
    const std::size_t x = value.find('x');
    if (x == std::string_view::npos)
        throw InputError(fmt::format("{} '{}': must be columns x rows, as in 32x8", what, quotable(value)));
    return {int(parse_integer(value.substr(0, x), what, 1, most)),
            int(parse_integer(value.substr(x + 1), what, 1, most))};
}

// Parses one item between commas, such as "block 32x8".
void take(LaunchShape& shape, std::string_view phrase) {
    const std::size_t space = std::min(phrase.find(' '), phrase.size());
    const std::string word(phrase.substr(0, space));
    const std::string_view value = trimmed(phrase.substr(space));
    static const std::vector<std::string> known{"block", "tile", "steps", "shared"};
    if (!contains(known, word)) throw InputError(unknown_name_message("word", word, known));
    if (word == "block") {
        std::tie(shape.block_x, shape.block_y) = read_pair(value, word, kMostThreads);
        if (shape.block_x * shape.block_y > kMostThreads)
            throw InputError(fmt::format("block {}: a block has at most {} threads, and these are {}",
                                         value,
                                         kMostThreads,
                                         shape.block_x * shape.block_y));
    } else if (word == "tile") {
        std::tie(shape.tile_x, shape.tile_y) = read_pair(value, word, kLargestTile);
    } else if (word == "steps") {
        shape.steps = int(parse_integer(value, word, 1, kMostSteps));
        shape.fused = true;
    } else {
        shape.shared_bytes = int(parse_integer(value, word, 0, kMostShared));
    }
}

}  // namespace

LaunchShape read_launch_shape(std::string_view text, const std::string& file) {
    LaunchShape shape;
    shape.tile_x = 0;
    int number = 0;
    for (const std::string& line : split(text, '\n')) {
        ++number;
        std::string_view rest = trimmed(line);
        if (!rest.starts_with("//")) continue;
        rest = trimmed(rest.substr(2));
        if (!rest.starts_with(kMark)) continue;
        try {
            for (const std::string& phrase : split(rest.substr(kMark.size()), ','))
                take(shape, trimmed(phrase));
        } catch (const InputError& error) {
            throw InputError(fmt::format("{}, line {}: {}", printable(file), number, error.what()));
        }
    }
    if (shape.tile_x == 0) {
        shape.tile_x = shape.block_x;
        shape.tile_y = shape.block_y;
    }
    return shape;
}

}  // namespace stencil::user_kernel
