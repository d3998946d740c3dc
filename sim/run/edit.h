// Changes in mid-run, as --at and spec.json spell them: 120:coefficient=0.1, 300:paint=1,20,replace,64.5,80.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/view/brush.h"

namespace stencil {

/// One change at one step: a setting's or parameter's new value, or, where `setting` is "paint", a piece of a
/// brush stroke as VALUE,RADIUS,STYLE,X,Y (a point) or VALUE,RADIUS,STYLE,X0,Y0,X1,Y1 (joined to the piece
/// before), STYLE being replace or add, -soft or not, -square or not. A -rectangle has the corners X0,Y0 and
/// X1,Y1 (its radius says nothing), and a -fill of the cell at X,Y takes in what is joined to it by values
/// that are no farther from its own than RADIUS.
struct Edit {
    long long step = 0;
    std::string setting;
    std::string value;
    friend bool operator==(const Edit&, const Edit&) = default;
};

inline constexpr std::string_view kPaint = "paint";

/// "paint" paints on the first component, "paint-v" on v: its name, empty for the first. Empty optional where
/// the setting is another.
std::optional<std::string> painted_component(std::string_view setting);

/// The edits of a run, in the order of their steps. A session of drags and strokes has thousands, so copies
/// share them until one of the copies changes.
class EditList {
  public:
    EditList() = default;
    EditList(std::initializer_list<Edit> edits) { add(edits); }
    EditList(const EditList& other) : edits_(other.edits_), shared_(true) { other.mark_shared(); }
    EditList(EditList&&) = default;
    EditList& operator=(const EditList& other) { return *this = EditList(other); }
    EditList& operator=(EditList&&) = default;

    std::size_t size() const { return edits_ ? edits_->size() : 0; }
    bool empty() const { return size() == 0; }
    const Edit& operator[](std::size_t i) const { return (*edits_)[i]; }
    const Edit* begin() const { return edits_ ? edits_->data() : nullptr; }
    const Edit* end() const { return begin() + size(); }
    friend bool operator==(const EditList& a, const EditList& b);

    /// Those up to this step, itself included.
    EditList until(long long step) const;
    /// Each behind those of its own step and of earlier ones.
    void add(std::vector<Edit> more);
    /// To be changed; they have to stay in the order of their steps.
    std::vector<Edit>& own();

  private:
    // Counting the owners instead would need a fence against those in other threads.
    void mark_shared() const {
        if (!shared_) shared_ = true;
    }

    std::shared_ptr<std::vector<Edit>> edits_;
    mutable bool shared_ = false;
};

/// Reads STEP:SETTING=VALUE; the value is checked. Throws InputError.
Edit parse_edit(std::string_view text);
std::string to_string(const Edit& edit);

/// The value of a paint edit, and back: exact for coordinates that are short in decimal.
BrushPiece parse_piece(std::string_view text);
std::string to_string(const BrushPiece& piece);

}  // namespace stencil
