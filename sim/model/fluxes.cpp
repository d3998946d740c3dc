#include "sim/model/fluxes.h"

#include <fmt/format.h>

namespace stencil::equation {
namespace {

// The difference of a flux between a cell's two faces along an axis. `flux(before, behind, towards)` is that
// at a face: before(f) and behind(f) are f in the cells beside it, `towards` is -1 or 1.
template <class Flux>
Node between_faces(Semantics& m, bool along_x, const Flux& flux) {
    Graph& g = m.graph();
    const auto here = [](Node field) { return field; };
    const auto there = [&](int cells) {
        return [&g, along_x, cells](Node field) {
            return along_x ? g.neighbour(field, cells, 0) : g.neighbour(field, 0, cells);
        };
    };
    return g.subtract(flux(here, there(1), 1), flux(there(-1), here, -1));
}

// The mean of a coefficient at the face between two cells.
Node at_face(Graph& g, Node before, Node behind, bool harmonic = false) {
    if (before == behind) return before;
    const Node sum = g.add(before, behind);
    if (!harmonic) return g.multiply(g.number(0.5), sum);
    const Node mean = g.multiply(g.number(2), g.multiply(behind, g.divide(before, sum)));
    return g.make(Op::select, {g.make(Op::equal, {sum, g.number(0)}), g.number(0), mean});
}

// The divergence of a gradient's flux for unit spacing. Where a side or edge gives the flux of u, the slope
// along it adds none.
Node net_flux(Semantics& m, const Value::Gradient& gradient) {
    Graph& g = m.graph();
    const Node u = gradient.of;
    const auto along = [&](bool along_x) {
        const auto part = [&](std::size_t entry) {
            return gradient.tensor ? g.multiply(gradient.coefficient, (*gradient.tensor)[entry])
                                   : gradient.coefficient;
        };
        const Node across = part(along_x ? 0 : 3);
        const Node sideways = gradient.tensor ? part(along_x ? 1 : 2) : g.number(0);
        const Node slope = g.stored(g.make(along_x ? Op::difference_y : Op::difference_x, {u}), kTurned);
        return between_faces(m, along_x, [&](const auto& before, const auto& behind, int) {
            const Node direct = g.multiply(at_face(g, before(across), behind(across), m.harmonic_mean),
                                           g.subtract(behind(u), before(u)));
            if (g.number_of(sideways) == 0.0) return direct;
            const Node mean = g.multiply(g.number(0.25), at_face(g, before(sideways), behind(sideways)));
            return g.add(direct, g.multiply(mean, g.add(before(slope), behind(slope))));
        });
    };
    return g.add(along(true), along(false));
}

// Half the slope of a cell, from the differences to its neighbours: 0 if their signs differ, else the smaller
// one (minmod, Roe 1986) or the harmonic mean (van Leer 1974).
Node half_slope(Graph& g, Node p, Node q, bool van_leer) {
    const Node zero = g.number(0);
    const Node positive = g.make(Op::maximum, {g.make(Op::minimum, {p, q}), zero});
    const Node smaller = g.add(positive, g.make(Op::minimum, {g.make(Op::maximum, {p, q}), zero}));
    const Node slope =
        van_leer ? g.divide(g.multiply(p, q), g.add(p, q)) : g.multiply(g.number(0.5), smaller);
    // Chosen last, so that a uniform field, at which steps are judged, has no slope.
    return g.make(Op::select, {g.make(Op::equal, {smaller, zero}), zero, slope});
}

}  // namespace

void require_vector(Semantics& m, const Value& value, std::string_view function) {
    if (value.kind != Value::Kind::vector)
        m.refuse(value.span,
                 "`{0}` takes a vector, such as `{0}(grad(u){1})`",
                 function,
                 function == "dot" ? ", grad(v)" : "");
}

// div(D*grad(u)) in flux form: what leaves a cell enters its neighbour, so totals are conserved to rounding.
Value divergence(Semantics& m, const Syntax& call, const Args& v) {
    require_vector(m, v[0], call.text);
    Graph& g = m.graph();
    const Node inverse = g.divide(g.number(1), g.multiply(m.spacing(), m.spacing()));
    Node sum = g.number(0);
    for (const auto& gradient : v[0].gradients) {
        const auto& [coefficient, of, tensor] = gradient;
        if (g.depends(of).uniform()) continue;
        if (!tensor && g.depends(coefficient).uniform())
            sum = g.add(sum, g.multiply(coefficient, m.laplacian(of)));
        else if (tensor || m.harmonic_mean)
            sum = g.add(sum, g.multiply(inverse, net_flux(m, gradient)));
        else
            sum = g.add(
                sum,
                g.multiply(g.multiply(g.number(0.5), inverse), g.make(Op::divergence, {coefficient, of})));
    }
    if (v[0].xy) {
        sum = g.add(sum, m.derivative(Op::difference_x, (*v[0].xy)[0], 2, 1));
        sum = g.add(sum, m.derivative(Op::difference_y, (*v[0].xy)[1], 2, 1));
    }
    return sum;
}

// advect(u, a, b, minmod) = -div(u*(a, b)) in flux form, with limited slopes (van Leer 1979). Where `inside`
// bounds the field, nothing crosses an edge without a condition.
Value limited_advection(Semantics& m, const Syntax& call, const Args& v) {
    Graph& g = m.graph();
    const Syntax& word = call.args[3];
    const bool van_leer = word.text == "vanleer";
    if (word.kind != SyntaxKind::name || (!van_leer && word.text != "minmod"))
        m.refuse(word.span, "the fourth argument is a limiter, minmod or vanleer");
    const Node u = m.field_of(v[0], call.text), zero = g.number(0);
    const auto along = [&](Node wind, bool along_x) {
        const auto at = [&](int cells) {
            return along_x ? g.neighbour(u, cells, 0) : g.neighbour(u, 0, cells);
        };
        const Node half = half_slope(g, g.subtract(u, at(-1)), g.subtract(at(1), u), van_leer);
        const Node slope = g.stored(half, kRepeated);
        return between_faces(m, along_x, [&](const auto& before, const auto& behind, int towards) {
            Node speed = at_face(g, before(wind), behind(wind));
            if (m.has_shape())
                speed = g.multiply(speed, g.passes(u, along_x ? towards : 0, along_x ? 0 : towards));
            return g.add(
                g.multiply(g.make(Op::maximum, {speed, zero}), g.add(before(u), before(slope))),
                g.multiply(g.make(Op::minimum, {speed, zero}), g.subtract(behind(u), behind(slope))));
        });
    };
    const Node flow =
        g.add(along(m.scalar_of(v[1], call.text), true), along(m.scalar_of(v[2], call.text), false));
    // The most by which a limited slope multiplies the first-order difference, in halves (Harten 1983).
    const Node factor = g.leaf(Op::limiter, van_leer ? 4 : 3);
    m.note(
        fmt::format("`{}` makes no new extremes up to a CFL number, dt*(|a| + |b|)/dx, of {}; the largest "
                    "step counts it so",
                    to_text(call),
                    van_leer ? "1/2" : "2/3"));
    Value result = g.multiply(g.divide(g.negate(factor), m.spacing()), flow);
    result.upwind = {{-1, u, call.span}};
    return result;
}

// rusanov(u, F, G, s) = -div(vec(F, G)) by fluxes at faces, where differences of u at the speed s of the
// fastest wave are added (Rusanov 1961: local Lax-Friedrichs).
Value rusanov(Semantics& m, const Syntax& call, const Args& v) {
    Graph& g = m.graph();
    const Node u = m.field_of(v[0], call.text), speed = m.scalar_of(v[3], call.text);
    const auto along = [&](const Value& part, bool along_x) {
        const Node flux = m.scalar_of(part, call.text);
        return between_faces(m, along_x, [&](const auto& before, const auto& behind, int) {
            const Node fastest = g.make(Op::maximum, {before(speed), behind(speed)});
            return g.subtract(g.add(before(flux), behind(flux)),
                              g.multiply(fastest, g.subtract(behind(u), before(u))));
        });
    };
    return g.multiply(g.divide(g.number(-0.5), m.spacing()), g.add(along(v[1], true), along(v[2], false)));
}

}  // namespace stencil::equation
