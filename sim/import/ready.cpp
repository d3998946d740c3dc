#include "sim/import/importers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <sstream>

#include "sim/import/ready_code.h"
#include "sim/model/text/tokens.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"
#include "sim/text/xml.h"

namespace stencil::import {
namespace {

constexpr int kMostChemicals = 16, kMostCells = 16384;
constexpr std::size_t kMostElements = 4000, kDeepestElement = 20;

// An element of a pattern's XML.
struct Element {
    std::string name;
    XmlAttributes attributes;
    std::string text;
    std::vector<Element> children;

    const Element* child(std::string_view wanted) const {
        const auto found = std::ranges::find(children, wanted, &Element::name);
        return found == children.end() ? nullptr : &*found;
    }
    // An attribute, or `otherwise`.
    std::string get(const std::string& attribute, const std::string& otherwise = "") const {
        const auto found = attributes.find(attribute);
        return found == attributes.end() ? otherwise : found->second;
    }
    // An attribute as a number; throws InputError if it is not one.
    double number(const std::string& attribute) const {
        const std::string typed = get(attribute);
        const auto value = read_real(typed);
        if (!value)
            throw InputError(
                "<{}> has {}=\"{}\", which is not a number", quotable(name), attribute, quotable(typed));
        return *value;
    }
};

struct ReadyFile {
    Element rd;     ///< <RD>
    Element image;  ///< <ImageData>, only its attributes
};

// Reads up to <ImageData>, because only the values of cells follow it.
class PatternReader : XmlHandler {
  public:
    ReadyFile read(std::string_view xml) {
        const End end = parse(xml, true);
        if (!end.stopped.empty()) throw InputError("{}", end.stopped);
        if (!end.not_xml.empty()) throw InputError("it is not XML: {}", end.not_xml);
        if (file_.rd.name.empty()) throw InputError("it is not a Ready pattern: it has no <RD>");
        return std::move(file_);
    }

  private:
    void begin(std::string name, XmlAttributes attributes) override {
        Element element{std::move(name), std::move(attributes), {}, {}};
        if (++count_ > kMostElements) return stop("it has too many elements");
        if (element.name == "ImageData" || element.name == "UnstructuredGrid") {
            file_.image = std::move(element);
            if (!file_.rd.name.empty()) stop();
            return;
        }
        if (open_.empty() && element.name != "RD") return;
        if (open_.size() == kDeepestElement) return stop("its elements are nested too deeply");
        open_.push_back(std::move(element));
    }

    void end(std::string_view) override {
        if (open_.empty()) return;
        Element closed = std::move(open_.back());
        open_.pop_back();
        if (!open_.empty()) return open_.back().children.push_back(std::move(closed));
        file_.rd = std::move(closed);
        if (!file_.image.name.empty()) stop();
    }

    void text(std::string_view text) override {
        if (open_.empty()) return;
        std::string& all = open_.back().text;
        all += text;
        if (all.size() > equation::kMaxText)
            stop(fmt::format(
                "its <{}> has more than {} bytes", quotable(open_.back().name), equation::kMaxText));
    }

    ReadyFile file_;
    std::vector<Element> open_;
    std::size_t count_ = 0;
};

// a, b ... z, aa, ab ...
std::string chemical_name(int i) {
    const std::string last(1, char('a' + i % 26));
    return i < 26 ? last : char('a' + i / 26 - 1) + last;
}

struct GridSize {
    int nx = 0, ny = 0;
};

GridSize size_of(const Element& image) {
    if (image.name != "ImageData") throw InputError("it is a mesh, and fields here are grids");
    std::istringstream extent(image.get("WholeExtent"));
    int low[3]{}, high[3]{};
    for (int axis = 0; axis < 3; ++axis) extent >> low[axis] >> high[axis];
    if (!extent)
        throw InputError("its WholeExtent is {}: it must be six whole numbers",
                         quotable(image.get("WholeExtent")));
    const auto cells = [&](int axis) { return (long long)(high[axis]) - low[axis] + 1; };
    if (cells(2) != 1) throw InputError("it has three dimensions, and fields here have two");
    for (int axis = 0; axis < 2; ++axis)
        if (cells(axis) < 1 || cells(axis) > kMostCells)
            throw InputError("its side of {} cells must be 1 to {}", cells(axis), kMostCells);
    return {int(cells(0)), int(cells(1))};
}

// Initial patterns: overlaid shapes with fillings.
class StartWriter {
  public:
    StartWriter(Names& names, std::vector<std::string> chemicals, std::vector<std::string>& notes)
        : names_(names), chemicals_(std::move(chemicals)), values_(chemicals_.size(), "0"), notes_(notes) {
        // Ready's positions refer to cells' corners, from 0 to 1 with y upwards.
        x_ = names_.fresh("x_part");
        y_ = names_.fresh("y_part");
    }

    bool flat = false;  ///< the field has one dimension

    void add(const Element& overlay) {
        const auto at = std::ranges::find(chemicals_, overlay.get("chemical"));
        if (at == chemicals_.end()) return;
        std::string& value = values_[std::size_t(at - chemicals_.begin())];
        std::string operation, filling;
        std::vector<std::string> shapes;
        for (const Element& part : overlay.children) {
            const std::string& name = part.name;
            if (name == "overwrite" || name == "add" || name == "subtract" || name == "multiply" ||
                name == "divide")
                operation = name;
            else if (name == "everywhere")
                shapes.emplace_back();
            else if (name == "rectangle" || name == "circle" || name == "pixel")
                shapes.push_back(shape(part));
            else
                filling = fill(part);
        }
        if (filling.empty() || operation.empty()) return;
        for (const std::string& inside : shapes) {
            const std::string next = applied(operation, value, filling);
            value = inside.empty() ? next : fmt::format("where({}, {}, {})", inside, next, value);
            require_short(value.size());
        }
    }

    std::vector<std::string> lines() {
        std::vector<std::string> lines;
        for (std::size_t i = 0; i < values_.size(); ++i)
            if (values_[i] != "0")
                lines.push_back(fmt::format("{}(0) = {}", names_.of(chemicals_[i]), values_[i]));
        lines.insert(lines.end(), definitions_.begin(), definitions_.end());
        if (uses_x_) lines.push_back(x_ + " = (x - dx/2)/Lx");
        if (uses_y_) lines.push_back(y_ + " = (Ly - y - dx/2)/Ly");
        return lines;
    }

  private:
    void require_short(std::size_t bytes) const {
        if (bytes > equation::kMaxText) throw InputError("its initial pattern is too long");
    }

    void define(const std::string& own, const std::string& value) {
        definitions_.push_back(fmt::format("{} = {}", own, value));
        require_short(defined_ += definitions_.back().size());
    }

    static std::string applied(const std::string& operation,
                               const std::string& value,
                               const std::string& filling) {
        if (operation == "overwrite") return filling;
        if (operation == "add") return value == "0" ? filling : fmt::format("({} + {})", value, filling);
        if (operation == "subtract") return fmt::format("({} - {})", value, filling);
        return fmt::format("({} {} {})", value, operation == "multiply" ? '*' : '/', filling);
    }

    const std::string& x() {
        uses_x_ = true;
        return x_;
    }
    const std::string& y() {
        uses_y_ = true;
        return y_;
    }

    static std::vector<const Element*> points(const Element& of, std::size_t wanted) {
        std::vector<const Element*> points;
        for (const Element& part : of.children)
            if (part.name == "point3D" || part.name == "point3d" || part.name == "point2d")
                points.push_back(&part);
        if (points.size() != wanted)
            throw InputError("<{}> has {} points: it must have {}", quotable(of.name), points.size(), wanted);
        return points;
    }

    // The squared distance from a point, in cells. The field is a layer one cell thick at z = 0.
    std::string distance2(const Element& point, int dimensions) {
        std::string sum = fmt::format("(({} - {})*nx)^2", x(), point.number("x"));
        if (dimensions > 1) sum += fmt::format(" + (({} - {})*ny)^2", y(), point.number("y"));
        const double z = dimensions > 2 ? z_of(point) : 0;
        return z == 0 ? sum : sum + fmt::format(" + {}", bracketed(z * z));
    }
    static double z_of(const Element& point) { return point.get("z").empty() ? 0 : point.number("z"); }

    static std::string between(const std::string& place,
                               const std::vector<const Element*>& ends,
                               const char* axis) {
        return fmt::format("{0} >= {1} and {0} <= {2}", place, ends[0]->number(axis), ends[1]->number(axis));
    }

    // In one dimension Ready tests x only.
    std::string shape(const Element& part) {
        if (part.name == "pixel")
            return fmt::format("floor(x/dx) == {}", part.number("x")) +
                   (flat ? "" : fmt::format(" and floor((Ly - y)/dx) == {}", part.number("y")));
        if (part.name == "circle")
            return fmt::format("{} < ({}*max(nx, ny))^2",
                               distance2(*points(part, 1)[0], flat ? 1 : 2),
                               part.number("radius"));
        const auto corners = points(part, 2);
        return between(x(), corners, "x") + (flat ? "" : " and " + between(y(), corners, "y"));
    }

    // The position along the line between two points, from 0 to 1.
    std::string along(const Element& from, const Element& to) {
        const double dx = to.number("x") - from.number("x"), dy = to.number("y") - from.number("y"),
                     dz = z_of(to) - z_of(from), length2 = dx * dx + dy * dy + dz * dz;
        if (!std::isfinite((dx + dy + dz) / length2))
            throw InputError("the two points of a gradient are the same");
        return fmt::format("(({} - {})*{} + ({} - {})*{}{})",
                           x(),
                           from.number("x"),
                           dx / length2,
                           y(),
                           from.number("y"),
                           dy / length2,
                           dz == 0 ? "" : fmt::format(" - {}", bracketed(z_of(from) * dz / length2)));
    }

    std::string fill(const Element& part) {
        const std::string& name = part.name;
        if (name == "constant") return bracketed(part.number("value"));
        if (name == "white_noise") {
            const double low = part.number("low"), high = part.number("high");
            const std::string own =
                names_.fresh("noise");  // named, because another chemical may be filled with the same numbers
            define(own, fmt::format("{} + {}*random", low, bracketed(high - low)));
            return own;
        }
        if (name == "other_chemical") return other(part.get("chemical"));
        if (name == "parameter") {
            const std::string of = part.get("name");
            if (of == "timestep") return "dt";
            if (names_.knows(of)) return names_.of(of);
            throw InputError("its initial pattern names the parameter {}, which there is not", quotable(of));
        }
        if (name == "linear_gradient") {
            const auto ends = points(part, 2);
            return gradient(part, along(*ends[0], *ends[1]));
        }
        if (name == "radial_gradient") {
            const auto ends = points(part, 2);
            const double dz = z_of(*ends[1]) - z_of(*ends[0]);
            const std::string whole = fmt::format("(({} - {})*nx)^2 + (({} - {})*ny)^2 + {}",
                                                  ends[1]->number("x"),
                                                  ends[0]->number("x"),
                                                  ends[1]->number("y"),
                                                  ends[0]->number("y"),
                                                  bracketed(dz * dz));
            return gradient(part, fmt::format("sqrt(({})/({}))", distance2(*ends[0], 3), whole));
        }
        if (name == "gaussian")
            return fmt::format("{}*exp(-({})/(2*({}*max(nx, ny))^2))",
                               bracketed(part.number("height")),
                               distance2(*points(part, 1)[0], 3),
                               part.number("sigma"));
        if (name == "sine") {
            const auto ends = points(part, 2);
            return fmt::format("{}*sin(2*pi*{} - {})",
                               bracketed(part.number("amplitude")),
                               along(*ends[0], *ends[1]),
                               bracketed(part.number("phase")));
        }
        const bool smooth = name == "perlin_noise";
        const std::string note = fmt::format("not carried over: initial patterns of {}: {} instead",
                                             quotable(name),
                                             smooth ? "smooth waves" : "random numbers");
        if (std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(note);
        if (smooth)
            return fmt::format(
                "(0.5 + 0.3*sin(3*x/({0}*dx) + 1)*cos(3*y/({0}*dx)) + "
                "0.15*cos(7*x/({0}*dx))*sin(6*y/({0}*dx) + 2))",
                std::max(part.number("scale"), 1.0));
        return "random";
    }

    static std::string gradient(const Element& part, const std::string& along) {
        const double from = part.number("val1"), to = part.number("val2");
        return fmt::format("({} + {}*{})", from, bracketed(to - from), along);
    }

    static std::string bracketed(double value) {
        if (!std::isfinite(value)) throw InputError("a number of its initial pattern is out of range");
        return value < 0 ? fmt::format("({})", value) : fmt::format("{}", value);
    }

    // The initial value of another chemical as assembled so far, as a named definition.
    std::string other(const std::string& chemical) {
        const auto at = std::ranges::find(chemicals_, chemical);
        if (at == chemicals_.end())
            throw InputError("its initial pattern names the chemical {}, which there is not",
                             quotable(chemical));
        std::string& value = values_[std::size_t(at - chemicals_.begin())];
        if (value.find_first_of(" (") != value.npos) {
            const std::string own = names_.fresh("start_" + chemical);
            define(own, value);
            value = own;
        }
        return value;
    }

    Names& names_;
    std::vector<std::string> chemicals_, values_;
    std::vector<std::string>& notes_;
    std::vector<std::string> definitions_;
    std::string x_, y_;
    bool uses_x_ = false, uses_y_ = false;
    std::size_t defined_ = 0;  ///< limit in bytes
};

class Pattern {
  public:
    explicit Pattern(ReadyFile file) : file_(std::move(file)), rule_(rule()), size_(size_of(file_.image)) {}

    Imported result() {
        const Element* formula = rule_.child("formula");
        std::vector<std::string> chemicals;
        for (int i = 0; i < number_of_chemicals(formula); ++i) chemicals.push_back(chemical_name(i));
        std::vector<std::string> parameters;
        for (const Element& part : rule_.children)
            if (part.name == "param" && part.get("name") != "timestep" && part.get("name") != "dx")
                parameters.push_back(part.get("name"));
        CodeReader code(chemicals, parameters);
        code.read(formula != nullptr ? std::string_view(formula->text) : inbuilt());
        std::vector<std::string> lines = code.lines();
        for (const Element& part : rule_.children)
            if (part.name == "param") parameter(code.names, part);
        lines.insert(lines.end(), parameters_.begin(), parameters_.end());
        settings(lines, formula);
        start(lines, code.names, chemicals);
        render(lines, code.names, chemicals);
        return assembled(lines);
    }

  private:
    const Element& rule() {
        const Element* rule = file_.rd.child("rule");
        if (rule == nullptr) throw InputError("it is not a Ready pattern: it has no <rule>");
        const std::string type = rule->get("type");
        if (type == "kernel")
            throw InputError("its rule is a whole kernel in OpenCL: only rules of type \"formula\" are read");
        if (type != "formula" && !(type == "inbuilt" && rule->get("name") == "Gray-Scott"))
            throw InputError("its rule is of type {}: only \"formula\" is read", quotable(type));
        if (type == "formula" && rule->child("formula") == nullptr)
            throw InputError("its rule has no <formula>");
        return *rule;
    }

    static std::string_view inbuilt() {
        return "delta_a = D_a*laplacian_a - a*b*b + F*(1 - a); delta_b = D_b*laplacian_b + a*b*b - (F + k)*b";
    }

    static int number_of_chemicals(const Element* formula) {
        if (formula == nullptr) return 2;
        const double number = formula->number("number_of_chemicals");
        if (const auto whole = whole_number(number, 1, kMostChemicals)) return *whole;
        throw InputError("it has {} chemicals: there must be 1 to {}", number, kMostChemicals);
    }

    void parameter(Names& names, const Element& part) {
        const std::string name = part.get("name"), text = trimmed(part.text);
        const auto value = read_real(text);
        if (!value)
            throw InputError("its parameter {} is {}, which is not a number", quotable(name), quotable(text));
        if (name == "timestep")
            dt_ = *value;
        else if (name == "dx")
            dx_ = *value;
        else
            parameters_.push_back(fmt::format("{} = {}", names.of(name), *value));
    }

    void settings(std::vector<std::string>& lines, const Element* formula) {
        lines.push_back(fmt::format("dx = {};  dt = {}", dx_, dt_));
        lines.push_back(fmt::format("size = {}x{}", size_.nx, size_.ny));
        lines.emplace_back(rule_.get("wrap", "1") == "0" ? "boundary = insulated" : "boundary = periodic");
        const std::string accuracy = formula != nullptr ? formula->get("accuracy", "medium") : "medium";
        if (accuracy != "low" && size_.ny > 1) lines.emplace_back("laplacian = isotropic");
        if (accuracy == "high") leave("derivatives of fourth order (accuracy=\"high\")");
    }

    void start(std::vector<std::string>& lines, Names& names, const std::vector<std::string>& chemicals) {
        const Element* generator = file_.rd.child("initial_pattern_generator");
        if (generator == nullptr || generator->get("apply_when_loading", "true") == "false")
            leave("the stored state: give --initial NAME=WHAT");
        if (generator == nullptr) return;
        StartWriter start(names, chemicals, notes_);
        start.flat = size_.nx == 1 || size_.ny == 1;
        for (const Element& part : generator->children)
            if (part.name == "overlay") start.add(part);
        const std::vector<std::string> more = start.lines();
        lines.insert(lines.end(), more.begin(), more.end());
    }

    void render(std::vector<std::string>& lines, Names& names, const std::vector<std::string>& chemicals) {
        const Element* settings = file_.rd.child("render_settings");
        if (settings == nullptr) return;
        if (const Element* active = settings->child("active_chemical")) {
            const std::string of = active->get("value");
            if (of != chemicals.front() && std::ranges::find(chemicals, of) != chemicals.end())
                lines.push_back("show = " + names.of(of));
        }
        const Element *low = settings->child("low"), *high = settings->child("high");
        if (low != nullptr && high != nullptr && low->number("value") < high->number("value"))
            range_ = fmt::format("{}:{}", low->number("value"), high->number("value"));
        leave("colours and views of render_settings");
    }

    void leave(std::string what) { notes_.push_back("not carried over: " + std::move(what)); }

    Imported assembled(const std::vector<std::string>& lines) {
        std::string text = "# From Ready. Its y axis points up, and north is the top here, too.\n";
        for (const std::string& note : notes_) text += "# " + note + '\n';
        if (const std::string title = trimmed(rule_.get("name")); !title.empty())
            text += "title = " + in_quotes(title) + '\n';
        return {fmt::format("{}{}\n", text, fmt::join(lines, "\n")), notes_, range_};
    }

    ReadyFile file_;
    const Element& rule_;
    GridSize size_;
    double dx_ = 1, dt_ = 1;
    std::vector<std::string> parameters_, notes_;
    std::string range_;
};

}  // namespace

Imported model_of_ready(std::string_view xml) {
    return Pattern(PatternReader().read(xml)).result();
}

}  // namespace stencil::import
