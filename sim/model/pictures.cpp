// Pictures and arrays in formulas: their channels, and their values at other positions.
#include <algorithm>

#include "sim/model/semantics.h"
#include "sim/text/names.h"
#include "sim/text/quote.h"

namespace stencil::equation {
namespace {

// Names of VisualPDE's pictures; a letter appended to one selects a channel: I_SR is the red of I_S.
constexpr std::array<std::string_view, 2> kPictures{"I_S", "I_T"};
constexpr auto kLetters = std::to_array<std::pair<char, Channel>>(
    {{'R', Channel::red}, {'G', Channel::green}, {'B', Channel::blue}, {'A', Channel::alpha}});

std::optional<Channel> channel_of(std::string_view name) {
    if (name.empty() || !contains(kPictures, name.substr(0, name.size() - 1))) return std::nullopt;
    const auto row =
        std::ranges::find(kLetters, name.back(), [](const auto& letter) { return letter.first; });
    return row == kLetters.end() ? std::nullopt : std::optional(row->second);
}

bool is_data(const Syntax& formula) {
    return formula.kind == SyntaxKind::call &&
           (formula.text == "image" || formula.text == "array" || formula.text == "known") &&
           !formula.args.empty();
}

}  // namespace

Node Semantics::data(const DataSource& source) {
    auto& data = equations_.data;
    const auto same = std::ranges::find(data, source);
    const int index = int(same - data.begin());
    if (same == data.end()) data.push_back(source);
    return graph().leaf(Op::data, index);
}

DataSource Semantics::source_of(const Syntax& call) const {
    const Syntax& file = call.args[0];
    if (file.kind != SyntaxKind::string)
        refuse(file.span, "`{0}` takes a file's name in quotes: {0}(\"file\")", call.text);
    DataSource source{.picture = call.text == "image", .file = file.text, .span = file.span};
    source.known = call.text == "known";
    if (call.args.size() < 2) return source;
    if (!source.picture) {
        const Syntax& name = call.args[1];
        if (name.kind != SyntaxKind::name && name.kind != SyntaxKind::string)
            refuse(name.span, "an array's name in a file of several: `{}(\"file.npz\", u)`", call.text);
        source.variable = name.text;
        return source;
    }
    const Syntax& channel = call.args[1];
    const auto row = std::ranges::find(kChannels, std::string_view(channel.text), &ChannelRow::name);
    if (channel.kind != SyntaxKind::name || row == kChannels.end())
        refuse(channel.span, "a picture's channel is grey, mean, red, green, blue or alpha");
    source.channel = row->channel;
    return source;
}

std::optional<DataSource> Semantics::picture_named(std::string_view name) const {
    const auto defined = [&](std::string_view one) -> const Syntax* {
        const auto row = std::ranges::find(statements_.definitions, one, &NamedFormula::name);
        return row != statements_.definitions.end() && is_data(row->formula) ? &row->formula : nullptr;
    };
    if (const Syntax* own = defined(name)) return source_of(*own);
    const auto channel = channel_of(name);
    const Syntax* whole = channel ? defined(name.substr(0, name.size() - 1)) : nullptr;
    if (!whole || whole->text != "image") return std::nullopt;
    DataSource source = source_of(*whole);
    source.channel = *channel;
    return source;
}

// The channel of a picture that the text defines as a number or formula instead: it is grey.
std::optional<Value> Semantics::channel_of_number(const std::string& name, TextSpan span) {
    const auto channel = channel_of(name);
    if (!channel || !is_own(name.substr(0, name.size() - 1))) return std::nullopt;
    if (*channel == Channel::alpha) return graph().number(1);
    uses_.insert(name.substr(0, name.size() - 1));
    return own_name(name.substr(0, name.size() - 1), span);
}

// I_T(x + dx, y/2): a definition that is a picture or an array, at another position.
std::optional<Value> Semantics::data_elsewhere(const Syntax& call) {
    if (call.args.size() != 2 || arguments_) return std::nullopt;
    auto source = picture_named(call.text);
    if (!source) return number_elsewhere(call);
    uses_.insert(call.text);
    std::array<Node, 2> place{};
    bool is_here = true;
    for (const bool along_x : {true, false}) {
        const Syntax& typed = call.args[along_x ? 0 : 1];
        const Node at = scalar(typed), here = coordinate(along_x);
        require_place(at, along_x, typed);
        const Node corner = graph().subtract(here, graph().leaf(along_x ? Op::x : Op::y));
        place[along_x ? 0 : 1] = graph().subtract(at, corner);
        is_here = is_here && at == here;
    }
    if (!is_here) source->place = place;
    return data(*source);
}

// Reads VisualPDE's name of a picture at another position if the text defines that name as a number.
std::optional<Value> Semantics::number_elsewhere(const Syntax& call) {
    if (!contains(kPictures, call.text) && !channel_of(call.text)) return std::nullopt;
    const auto here = own_name(call.text, {call.span.begin, call.span.begin + call.text.size()});
    if (!here) return std::nullopt;
    uses_.insert(call.text);
    if (here->kind != Value::Kind::scalar || !graph().depends(here->node).uniform())
        refuse(call.span, "`{}` is not a picture, and has values at the cells alone", quotable(call.text));
    return here;
}

// Pictures are read when a run starts and when its size or dx changes, so positions must be constant in time.
void Semantics::require_place(Node place, bool along_x, const Syntax& typed) {
    const Graph& g = graph();
    bool known = true;
    g.walk(place, [&](Node part) {
        const Op op = g[part].op;
        known = known && !g.depends(part).cell && !g.depends(part).time && !g.depends(part).global &&
                op != (along_x ? Op::y : Op::x) && op != Op::offset_x && op != Op::offset_y &&
                op != Op::parameter && op != Op::dt && op != Op::past;
    });
    if (!known)
        refuse(typed.span,
               "the place of a picture along {0} is made of {0}, dx, L{0} and numbers, such as `{0} + dx` or "
               "`{0}/2`",
               along_x ? "x" : "y");
}

}  // namespace stencil::equation
