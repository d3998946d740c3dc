// CUDA writes into OpenGL textures. Without CUDA the same interface is never ready.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sim/field/pixels.h"

namespace stencil {

/// Use it on the thread of the OpenGL context, which must be current in the destructor too. CUDA errors are
/// not thrown: the first is reported by text(), and interop is not tried again.
class Interop {
  public:
    /// Checks whether CUDA and OpenGL use the same device. `renderer` is GL_RENDERER.
    Interop(bool allowed, std::string_view renderer);
    ~Interop();
    Interop(const Interop&) = delete;
    Interop& operator=(const Interop&) = delete;

    /// Whether pixels on the device can be uploaded.
    bool ready() const;

    /// How pixels reach the textures, for the status line, with the reason if they are copied.
    const std::string& text() const;

    /// Enqueues a copy into the top left corner of a large enough R32F texture and keeps the pixels until it
    /// is done. Later OpenGL commands see them. Returns false on failure.
    bool upload(unsigned texture, std::shared_ptr<const Pixels> pixels);

    /// The fallback for upload(): copies to (height, width) floats on the host and waits. False on failure.
    bool read(const Pixels& pixels, float* values);

    /// Device time of the newest finished upload into the texture.
    std::optional<double> milliseconds(unsigned texture);

    /// Call it before a texture is deleted.
    void forget(unsigned texture);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace stencil
