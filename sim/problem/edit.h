// Scheduled changes during a run, as written in --at and spec.json: 120:coefficient=0.1,
// 300:paint=1,20,replace,64.5,80.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/view/brush.h"

namespace stencil {

/// A change at one step: a new value of a setting or parameter, or with `setting` "paint" a segment of a
/// brush stroke: VALUE,RADIUS,STYLE,X,Y (a point) or VALUE,RADIUS,STYLE,X0,Y0,X1,Y1 (continuing the previous
/// segment). STYLE is replace or add, optionally -soft and -square, or -rectangle (from corner to corner,
/// radius unused), or -fill (flood fill from X,Y over values within RADIUS of that cell's).
struct Edit {
    long long step = 0;
    std::string setting;
    std::string value;
    friend bool operator==(const Edit&, const Edit&) = default;
};

inline constexpr std::string_view kPaint = "paint";

/// The component that a paint setting names: "v" for "paint-v", empty (the first) for "paint". nullopt for
/// other settings.
std::optional<std::string> painted_component(std::string_view setting);

/// Whether a change is one that a run has made itself because its dt follows the limit.
bool is_decided_dt(const Edit& edit);

/// The scheduled changes of a run, ordered by step. Copies are shared until one is modified, because a
/// session of strokes can have thousands of them.
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

    /// The changes up to and including this step.
    EditList until(long long step) const;
    /// Inserts each behind those of the same and earlier steps.
    void add(std::vector<Edit> more);
    /// The list for modification; the order by step must be kept.
    std::vector<Edit>& own();

  private:
    // A flag instead of use_count(), which would need a fence against owners in other threads.
    void mark_shared() const {
        if (!shared_) shared_ = true;
    }

    std::shared_ptr<std::vector<Edit>> edits_;
    mutable bool shared_ = false;
};

/// Parses STEP:SETTING=VALUE and checks the value. Throws InputError.
Edit parse_edit(std::string_view text);
std::string to_string(const Edit& edit);

/// Parse and format the value of a paint change; short decimal coordinates round-trip exactly.
BrushPiece parse_piece(std::string_view text);
std::string to_string(const BrushPiece& piece);

}  // namespace stencil
