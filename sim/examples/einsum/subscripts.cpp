#include "sim/examples/einsum/subscripts.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "sim/text/error.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil::einsum {
namespace {

constexpr std::size_t kMaxOperands = 64;  // as NumPy
constexpr std::size_t kLongest = 10'000;

bool is_label(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

[[noreturn]] void fail(std::string_view text, std::size_t at, const std::string& what) {
    std::string line(text);
    std::ranges::replace_if(
        line, [](char c) { return c < ' ' || c > '~'; }, '?');
    // A long text is shown around the place.
    constexpr std::size_t kShown = 100;
    const std::size_t start = at > kShown / 2 && line.size() > kShown ? at - kShown / 2 : 0;
    throw InputError(fmt::format(
        "--subscripts: {}\n  {}\n  {:>{}}", what, line.substr(start, kShown), '^', at - start + 1));
}

class Parser {
  public:
    explicit Parser(std::string_view text) : text_(text) {}

    Subscripts subscripts() {
        Subscripts result;
        result.text = text_;
        for (;;) {
            result.operands.push_back(term());
            if (result.operands.size() > kMaxOperands)
                fail(text_, at_, fmt::format("at most {} operands are allowed", kMaxOperands));
            if (at_ == text_.size() || text_[at_] == '-') break;
            ++at_;  // the comma
        }
        result.output =
            at_ == text_.size() ? implicit_output(result.operands) : explicit_output(result.operands);
        return result;
    }

  private:
    // Up to a comma, an arrow or the end.
    SubscriptTerm term() {
        SubscriptTerm term;
        term.begin = at_;
        for (; at_ < text_.size() && text_[at_] != ',' && text_[at_] != '-'; ++at_) {
            const char c = text_[at_];
            if (c == ' ') continue;
            if (c == '.') {
                ellipsis(term);
            } else if (is_label(c)) {
                term.labels += c;
                term.positions.push_back(at_);
            } else if (c == '>') {
                fail(text_, at_, "'>' without '-' before it; the output follows '->'");
            } else {
                fail(text_, at_, fmt::format("{} is no label; labels are letters", shown(c)));
            }
        }
        return term;
    }

    static std::string shown(char c) {
        return c >= ' ' && c <= '~' ? fmt::format("'{}'", c) : fmt::format("byte {}", int((unsigned char)c));
    }

    void ellipsis(SubscriptTerm& term) {
        if (text_.substr(at_, 3) != "...") fail(text_, at_, "a '.' that is not part of '...'");
        if (term.has_ellipsis()) fail(text_, at_, "a second '...'; one is allowed for each operand");
        term.ellipsis = int(term.labels.size());
        at_ += 2;
    }

    SubscriptTerm explicit_output(const std::vector<SubscriptTerm>& operands) {
        if (text_.substr(at_, 2) != "->")
            fail(text_, at_, "'-' without '>' after it; the output follows '->'");
        at_ += 2;
        const SubscriptTerm output = term();
        if (at_ < text_.size())
            fail(text_,
                 at_,
                 text_[at_] == ',' ? "a comma in the output; there is one output" : "a second '->'");
        for (std::size_t i = 0; i < output.labels.size(); ++i) {
            const char label = output.labels[i];
            if (output.labels.find(label) < i)
                fail(text_, output.positions[i], fmt::format("the output has label '{}' twice", label));
            const bool known = std::ranges::any_of(operands, [&](const SubscriptTerm& operand) {
                return operand.labels.find(label) != std::string::npos;
            });
            if (!known)
                fail(text_,
                     output.positions[i],
                     fmt::format("the output's label '{}' is in no operand", label));
        }
        return output;
    }

    static SubscriptTerm implicit_output(const std::vector<SubscriptTerm>& operands) {
        std::map<char, int> counts;
        SubscriptTerm output;
        for (const SubscriptTerm& operand : operands) {
            for (const char label : operand.labels) ++counts[label];
            if (operand.has_ellipsis()) output.ellipsis = 0;
        }
        for (const auto& [label, count] : counts)
            if (count == 1) output.labels += label;
        return output;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

std::string shape_text(const Contraction::Shape& shape) {
    return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

// Numbers the labels and finds their sizes.
class Binder {
  public:
    Binder(const Subscripts& subscripts, const std::vector<Contraction::Shape>& shapes)
        : subscripts_(subscripts), shapes_(shapes) {}

    Contraction contraction() {
        const std::size_t terms = subscripts_.operands.size();
        if (terms != shapes_.size())
            fail(subscripts_.text,
                 subscripts_.operands[std::min(terms - 1, shapes_.size())].begin,
                 fmt::format("subscripts for {} operand{}, but there {} {}",
                             terms,
                             terms == 1 ? "" : "s",
                             shapes_.size() == 1 ? "is" : "are",
                             shapes_.size()));
        for (std::size_t i = 0; i < terms; ++i) count_ellipsis(i);
        result_.shapes = shapes_;
        for (int i = 0; i < ellipsis_; ++i) {
            result_.names.push_back(fmt::format("...{}", i));
            result_.sizes.push_back(1);
        }
        for (std::size_t i = 0; i < terms; ++i) bind_operand(i);
        const SubscriptTerm& output = subscripts_.output;
        if (ellipsis_ > 0 && !output.has_ellipsis())
            fail(subscripts_.text,
                 output.begin,
                 fmt::format("the output lacks '...', which stands for {} ax{}; only labels are summed over",
                             ellipsis_,
                             ellipsis_ == 1 ? "is" : "es"));
        for (int i = 0; i <= int(output.labels.size()); ++i) {
            if (i == output.ellipsis)
                for (int e = 0; e < ellipsis_; ++e) result_.output.push_back(e);
            if (i < int(output.labels.size()))
                result_.output.push_back(labels_.at(output.labels[std::size_t(i)]));
        }
        check_size();
        return result_;
    }

  private:
    void count_ellipsis(std::size_t operand) {
        const SubscriptTerm& term = subscripts_.operands[operand];
        const int extra = int(shapes_[operand].size()) - int(term.labels.size());
        if (extra < 0 || (extra > 0 && !term.has_ellipsis()))
            fail(subscripts_.text,
                 term.positions.empty() ? term.begin : term.positions[0],
                 fmt::format("operand {} has shape {}, {} ax{}, but {} label{}{}",
                             operand,
                             shape_text(shapes_[operand]),
                             shapes_[operand].size(),
                             shapes_[operand].size() == 1 ? "is" : "es",
                             term.labels.size(),
                             term.labels.size() == 1 ? "" : "s",
                             extra > 0 ? " and no '...' for the others" : ""));
        ellipsis_ = std::max(ellipsis_, extra);
    }

    void bind_operand(std::size_t operand) {
        const SubscriptTerm& term = subscripts_.operands[operand];
        const Contraction::Shape& shape = shapes_[operand];
        const int extra = int(shape.size()) - int(term.labels.size());
        std::vector<int>& axes = result_.operands.emplace_back();
        std::size_t next = 0;  // label
        for (int axis = 0; axis < int(shape.size()); ++axis) {
            const bool dots = term.has_ellipsis() && axis >= term.ellipsis && axis < term.ellipsis + extra;
            const std::size_t at = dots ? term.begin : term.positions[next];
            // Axes of an ellipsis are numbered from the right, as NumPy broadcasts.
            axes.push_back(dots ? ellipsis_ - extra + axis - term.ellipsis : number(term.labels[next++]));
            repeated(axes, shape, operand, at);
            size(axes.back(), shape[std::size_t(axis)], operand, at);
        }
    }

    int number(char label) {
        const auto [place, is_new] = labels_.emplace(label, int(result_.sizes.size()));
        if (is_new) {
            result_.names.emplace_back(1, label);
            result_.sizes.push_back(1);
        }
        return place->second;
    }

    // Within one operand, a label's axes are equally long: a diagonal is not broadcast.
    void repeated(const std::vector<int>& axes,
                  const Contraction::Shape& shape,
                  std::size_t operand,
                  std::size_t at) {
        const auto first = std::size_t(std::ranges::find(axes, axes.back()) - axes.begin());
        if (shape[first] == shape[axes.size() - 1]) return;
        fail(subscripts_.text,
             at,
             fmt::format("label '{}' stands for axes of lengths {} and {} of operand {}",
                         result_.names[std::size_t(axes.back())],
                         shape[first],
                         shape[axes.size() - 1],
                         operand));
    }

    void size(int label, std::int64_t length, std::size_t operand, std::size_t at) {
        std::int64_t& known = result_.sizes[std::size_t(label)];
        if (known == 1) known = length;
        if (length == 1 || length == known) return;
        const std::string& name = result_.names[std::size_t(label)];
        fail(subscripts_.text,
             at,
             fmt::format("{} has length {} in operand {} and {} before it",
                         name[0] == '.' ? "an axis of '...'" : fmt::format("label '{}'", name),
                         length,
                         operand,
                         known));
    }

    void check_size() const {
        double values = 1;
        for (const std::int64_t n : result_.output_shape()) values *= double(n);
        if (values < kTooManyValues) return;
        fail(subscripts_.text,
             subscripts_.output.begin,
             fmt::format("the result would have {:.3g} values; at most 2^40 are allowed", values));
    }

    const Subscripts& subscripts_;
    const std::vector<Contraction::Shape>& shapes_;
    Contraction result_;
    std::map<char, int> labels_;
    int ellipsis_ = 0;
};

std::int64_t parse_size(std::string_view text, std::string_view whole) {
    const std::optional<long long> value = read_integer(text);
    if (!value || *value < 0 || double(*value) >= kTooManyValues)
        throw InputError(
            fmt::format("--sizes: '{}' is no size; allowed: a whole number below 2^40, e.g. "
                        "i=100,j=200,...=4x5",
                        quotable(whole)));
    return *value;
}

}  // namespace

Subscripts parse_subscripts(std::string_view text) {
    if (text.size() > kLongest)
        throw InputError(
            fmt::format("--subscripts: {} characters; at most {} are allowed", text.size(), kLongest));
    return Parser(text).subscripts();
}

std::int64_t product_of(const Contraction::Shape& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t(1), std::multiplies<>());
}

Contraction::Shape Contraction::output_shape() const {
    Shape shape;
    for (const int label : output) shape.push_back(sizes[std::size_t(label)]);
    return shape;
}

double Contraction::naive_flops() const {
    double product = double(operands.size());
    for (const std::int64_t n : sizes) product *= double(n);
    return product;
}

Contraction bind_subscripts(const Subscripts& subscripts, const std::vector<Contraction::Shape>& shapes) {
    return Binder(subscripts, shapes).contraction();
}

LabelSizes parse_label_sizes(std::string_view text) {
    LabelSizes sizes;
    while (!text.empty()) {
        const std::string_view item = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), item.size() + 1));
        const std::size_t equals = item.find('=');
        const std::string_view name = item.substr(0, equals);
        const std::string_view value = equals == item.npos ? "" : item.substr(equals + 1);
        if (name == "...") {
            for (std::size_t at = 0; at <= value.size();) {
                const std::size_t end = std::min(value.find('x', at), value.size());
                sizes.ellipsis.push_back(parse_size(value.substr(at, end - at), item));
                at = end + 1;
            }
        } else if (name.size() == 1 && is_label(name[0])) {
            sizes.labels[name[0]] = parse_size(value, item);
        } else {
            throw InputError(
                fmt::format("--sizes: '{}' names no label; allowed: a letter or ..., e.g. "
                            "i=100,j=200,...=4x5",
                            quotable(item)));
        }
    }
    return sizes;
}

std::vector<Contraction::Shape> shapes_for(const Subscripts& subscripts, const LabelSizes& sizes) {
    std::vector<Contraction::Shape> shapes;
    for (const SubscriptTerm& term : subscripts.operands) {
        Contraction::Shape& shape = shapes.emplace_back();
        double values = 1;
        for (int i = 0; i <= int(term.labels.size()); ++i) {
            if (i == term.ellipsis) shape.insert(shape.end(), sizes.ellipsis.begin(), sizes.ellipsis.end());
            if (i == int(term.labels.size())) break;
            const auto size = sizes.labels.find(term.labels[std::size_t(i)]);
            if (size == sizes.labels.end())
                fail(subscripts.text,
                     term.positions[std::size_t(i)],
                     fmt::format("label '{}' has no size; give it in --sizes, or operands as files",
                                 term.labels[std::size_t(i)]));
            shape.push_back(size->second);
        }
        for (const std::int64_t n : shape) values *= double(n);
        if (values >= kTooManyValues)
            fail(subscripts.text,
                 term.begin,
                 fmt::format("an operand would have {:.3g} values; at most 2^40 are allowed", values));
    }
    return shapes;
}

}  // namespace stencil::einsum
