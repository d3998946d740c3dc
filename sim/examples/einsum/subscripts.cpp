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

constexpr std::size_t kMaxOperands = 12;  // of which all orders are tried
constexpr std::size_t kLongest = 10'000;

bool is_label(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

[[noreturn]] void fail(const std::string& what) {
    throw InputError(Given{"subscripts"}, "{}", what);
}

class Parser {
  public:
    explicit Parser(std::string_view text) : text_(text) {}

    Subscripts subscripts() {
        Subscripts result;
        for (;; ++at_) {  // beyond the comma
            result.operands.push_back(term());
            if (result.operands.size() > kMaxOperands)
                fail(fmt::format("at most {} operands are allowed", kMaxOperands));
            if (at_ == text_.size() || text_[at_] == '-') break;
        }
        result.output =
            at_ == text_.size() ? implicit_output(result.operands) : explicit_output(result.operands);
        return result;
    }

  private:
    // Up to a comma, an arrow or the end.
    SubscriptTerm term() {
        SubscriptTerm term;
        for (; at_ < text_.size() && text_[at_] != ',' && text_[at_] != '-'; ++at_) {
            const char c = text_[at_];
            if (c == ' ') continue;
            if (c == '>') fail("'>' without '-' before it; the output follows '->'");
            if (c == '.' && text_.substr(at_, 3) != "...") fail("a '.' that is not part of '...'");
            if (c == '.' && term.has('.')) fail("a second '...'; one is allowed for each operand");
            if (c != '.' && !is_label(c))
                fail((c >= ' ' && c <= '~' ? fmt::format("'{}'", c)
                                           : fmt::format("byte {}", int((unsigned char)c))) +
                     " is not a label; labels are letters");
            term.labels += c;
            if (c == '.') at_ += 2;
        }
        return term;
    }

    SubscriptTerm explicit_output(const std::vector<SubscriptTerm>& operands) {
        if (text_.substr(at_, 2) != "->") fail("'-' without '>' after it; the output follows '->'");
        at_ += 2;
        const SubscriptTerm output = term();
        if (at_ < text_.size())
            fail(text_[at_] == ',' ? "a comma in the output; there is one output" : "a second '->'");
        for (const char label : output.labels) {
            const auto has = [&](const SubscriptTerm& one) { return one.has(label); };
            if (std::ranges::count(output.labels, label) > 1)
                fail(fmt::format("the output has label '{}' twice", label));
            if (label != '.' && std::ranges::none_of(operands, has))
                fail(fmt::format("the output's label '{}' is in no operand", label));
        }
        return output;
    }

    static SubscriptTerm implicit_output(const std::vector<SubscriptTerm>& operands) {
        std::map<char, int> counts;
        SubscriptTerm output;
        for (const SubscriptTerm& operand : operands)
            for (const char label : operand.labels) ++counts[label];
        for (const auto& [label, count] : counts)  // the ellipsis, then letters
            if (count == 1 || label == '.') output.labels += label;
        return output;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

// "1 operand", "2 operands"
std::string counted(std::size_t count, std::string one, const char* many = nullptr) {
    return fmt::format("{} {}", count, count == 1 ? one : many ? many : one + "s");
}

// Numbers the labels and finds their sizes.
class Binder {
  public:
    Binder(const Subscripts& subscripts, const std::vector<Contraction::Shape>& shapes)
        : subscripts_(subscripts), shapes_(shapes) {}

    Contraction contraction() {
        const std::size_t terms = subscripts_.operands.size();
        if (terms != shapes_.size())
            fail(fmt::format("subscripts for {}, but there {} {}",
                             counted(terms, "operand"),
                             shapes_.size() == 1 ? "is" : "are",
                             shapes_.size()));
        for (std::size_t i = 0; i < terms; ++i) count_ellipsis(i);
        result_.shapes = shapes_;
        for (int i = 0; i < ellipsis_; ++i) result_.names.push_back(fmt::format("...{}", i));
        result_.sizes.assign(std::size_t(ellipsis_), 1);
        for (std::size_t i = 0; i < terms; ++i) bind_operand(i);
        const SubscriptTerm& output = subscripts_.output;
        if (ellipsis_ > 0 && !output.has('.'))
            fail(fmt::format("the output lacks '...', which stands for {}; only labels are summed over",
                             counted(std::size_t(ellipsis_), "axis", "axes")));
        for (const char label : output.labels)
            if (label != '.')
                result_.output.push_back(labels_.at(label));
            else
                for (int e = 0; e < ellipsis_; ++e) result_.output.push_back(e);
        check_size();
        return result_;
    }

  private:
    // Axes of the operand that its ellipsis stands for.
    int extra(std::size_t operand) const {
        return int(shapes_[operand].size()) - subscripts_.operands[operand].letters();
    }

    void count_ellipsis(std::size_t operand) {
        const SubscriptTerm& term = subscripts_.operands[operand];
        const int more = extra(operand);
        const Contraction::Shape& shape = shapes_[operand];
        if (more < 0 || (more > 0 && !term.has('.')))
            fail(fmt::format("operand {} has shape ({}{}), {}, but {}{}",
                             operand,
                             fmt::join(shape, ", "),
                             shape.size() == 1 ? "," : "",
                             counted(shape.size(), "axis", "axes"),
                             counted(std::size_t(term.letters()), "label"),
                             more > 0 ? " and no '...' for the others" : ""));
        ellipsis_ = std::max(ellipsis_, more);
    }

    void bind_operand(std::size_t operand) {
        const SubscriptTerm& term = subscripts_.operands[operand];
        result_.operands.emplace_back();
        for (const char label : term.labels)
            if (label != '.')
                bind_axis(operand, number(label));
            else  // axes of an ellipsis are numbered from the right, as NumPy broadcasts
                for (int e = ellipsis_ - extra(operand); e < ellipsis_; ++e) bind_axis(operand, e);
    }

    // The operand's next axis has this label.
    void bind_axis(std::size_t operand, int label) {
        std::vector<int>& axes = result_.operands.back();
        const auto first = std::size_t(std::ranges::find(axes, label) - axes.begin());
        const Contraction::Shape& shape = shapes_[operand];
        const std::int64_t length = shape[axes.size()];
        axes.push_back(label);
        // Within one operand, a label's axes are equally long: a diagonal is not broadcast.
        if (shape[first] != length)
            fail(fmt::format("label '{}' stands for axes of lengths {} and {} of operand {}",
                             result_.names[std::size_t(label)],
                             shape[first],
                             length,
                             operand));
        size(label, length, operand);
    }

    int number(char label) {
        const auto [place, is_new] = labels_.emplace(label, int(result_.sizes.size()));
        if (is_new) {
            result_.names.emplace_back(1, label);
            result_.sizes.push_back(1);
        }
        return place->second;
    }

    void size(int label, std::int64_t length, std::size_t operand) {
        std::int64_t& known = result_.sizes[std::size_t(label)];
        if (known == 1) known = length;
        if (length == 1 || length == known) return;
        const std::string& name = result_.names[std::size_t(label)];
        fail(fmt::format("{} has length {} in operand {} and {} before it",
                         name[0] == '.' ? "an axis of '...'" : fmt::format("label '{}'", name),
                         length,
                         operand,
                         known));
    }

    void check_size() const {
        double values = 1;
        for (const std::int64_t n : result_.output_shape()) values *= double(n);
        if (values < kTooManyValues) return;
        fail(fmt::format("the result would have {:.3g} values; at most 2^40 are allowed", values));
    }

    const Subscripts& subscripts_;
    const std::vector<Contraction::Shape>& shapes_;
    Contraction result_;
    std::map<char, int> labels_;
    int ellipsis_ = 0;
};

std::int64_t parse_size(std::string_view text, std::string_view whole) {
    const std::optional<long long> value = read_whole(text);
    if (!value || *value < 0 || double(*value) >= kTooManyValues)
        throw InputError(Given{"sizes"},
                         "'{}' is not a size; allowed: a whole number below 2^40, e.g. "
                         "i=100,j=200,...=4x5",
                         quotable(whole));
    return *value;
}

}  // namespace

Subscripts parse_subscripts(std::string_view text) {
    if (text.size() > kLongest)
        throw InputError(Given{"subscripts"}, "{} characters; at most {} are allowed", text.size(), kLongest);
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
            throw InputError(Given{"sizes"},
                             "'{}' names no label; allowed: a letter or ..., e.g. "
                             "i=100,j=200,...=4x5",
                             quotable(item));
        }
    }
    return sizes;
}

std::vector<Contraction::Shape> shapes_for(const Subscripts& subscripts, const LabelSizes& sizes) {
    std::vector<Contraction::Shape> shapes;
    for (const SubscriptTerm& term : subscripts.operands) {
        Contraction::Shape& shape = shapes.emplace_back();
        double values = 1;
        for (const char label : term.labels) {
            if (label == '.') {
                shape.insert(shape.end(), sizes.ellipsis.begin(), sizes.ellipsis.end());
                continue;
            }
            const auto size = sizes.labels.find(label);
            if (size == sizes.labels.end())
                fail(fmt::format("label '{}' has no size; give it in --sizes, or operands as files", label));
            shape.push_back(size->second);
        }
        for (const std::int64_t n : shape) values *= double(n);
        if (values >= kTooManyValues)
            fail(fmt::format("an operand would have {:.3g} values; at most 2^40 are allowed", values));
    }
    return shapes;
}

}  // namespace stencil::einsum
