// CUDA writing into OpenGL's textures. The same header where there is no CUDA: then it is never ready.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sim/field/pixels.h"

namespace stencil {

/// Everything on the thread that has the OpenGL context, which must be current in the destructor too. No CUDA
/// error leaves it as an exception: what fails is told once by text() and never tried again.
class Interop {
  public:
    /// Finds out whether CUDA and OpenGL are on one device. `renderer` is OpenGL's name of its own
    /// (GL_RENDERER).
    Interop(bool allowed, std::string_view renderer);
    ~Interop();
    Interop(const Interop&) = delete;
    Interop& operator=(const Interop&) = delete;

    /// Pixels on the device can be taken.
    bool ready() const;

    /// How pixels get into the textures, for the status line, with the reason where it is a copy.
    const std::string& text() const;

    /// Enqueues the copy into the top left corner of an R32F texture that is large enough, and keeps the
    /// pixels until it is done. OpenGL's commands from now on see them. False where it fails.
    bool upload(unsigned texture, std::shared_ptr<const Pixels> pixels);

    /// Copies pixels on the device to the host, (height, width) floats: the way that is left where upload()
    /// fails. Waits until done; false where that fails too.
    bool read(const Pixels& pixels, float* values);

    /// Device time of the newest finished upload into the texture.
    std::optional<double> milliseconds(unsigned texture);

    /// Before a texture is deleted.
    void forget(unsigned texture);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace stencil
