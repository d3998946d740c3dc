// Pixels on a GPU: drawn by interop if OpenGL uses the same GPU, else copied, with equal results.

#if STENCILSCOPE_HAS_CUDA

#include "kernels/cuda/cuda_runtime.h"
#include "tests/support/fields.h"
#include "tests/support/window/screen.h"

namespace {

constexpr int kFieldColumns = 301, kFieldRows = 203;

void require_gpu() {
    const CudaStatus cuda = query_cuda();
    if (cuda.devices.empty()) skip_without_gpu(cuda.why_none);
}

PaneImage random_image(Dice& dice) {
    std::vector<float> values;
    for (int i = 0; i < kFieldColumns * kFieldRows; ++i) values.push_back(float(dice.uniform(0, 1)));
    return make_image(kFieldColumns, kFieldRows, std::move(values), "grey", {0, 1});
}

PaneImage on_device(const PaneImage& image) {
    const Pixels& host = *image.pixels;
    auto pixels = std::make_shared<Pixels>();
    pixels->width = host.width;
    pixels->height = host.height;
    pixels->on_device = true;
    pixels->device_bytes = host.host.size() * sizeof(float);
    pixels->device = CudaMemory(pixels->device_bytes);
    CudaStream stream;
    const std::size_t row = std::size_t(host.width) * sizeof(float);
    copy_to_device({pixels->device.data(), row, host.host.data(), row, row, std::size_t(host.height)},
                   stream);
    PaneImage moved = image;
    moved.pixels = std::move(pixels);
    return moved;
}

int wrong_pixels(const std::vector<Rgb>& seen, const PaneImage& host) {
    int wrong = 0;
    for (std::size_t i = 0; i < seen.size(); ++i)
        wrong += apart(seen[i], colormap("grey").at(host.pixels->host[i], {})) > 1;
    return wrong;
}

}  // namespace

TEST_CASE("Pixels on the GPU are drawn as those of the host are, whichever way they take") {
    require_gpu();
    Dice dice;
    for (const bool allowed : {true, false}) {
        Screen screen(kFieldColumns, kFieldRows, allowed);
        const Transfer at_start = screen.renderer().transfer();
        const bool software = contains(screen.display().gl_renderer(), "llvmpipe");
        CAPTURE(allowed, at_start.text, screen.display().gl_renderer());
        CHECK((at_start.interop ? contains(at_start.text, "interop") : contains(at_start.text, "copied")));
        if (!allowed) CHECK(contains(at_start.text, "switched off"));
        if (allowed && software) CHECK(contains(at_start.text, "OpenGL is llvmpipe (software), CUDA is "));
        if (allowed && contains(screen.display().gl_renderer(), "NVIDIA")) CHECK(at_start.interop);
        for (int frame = 0; frame < 12; ++frame) {
            const PaneImage host = random_image(dice);
            screen.draw(frame % 2, on_device(host), screen.all(), screen.all());
            CHECK(wrong_pixels(screen.read(), host) == 0);
            CHECK(screen.renderer().transfer().interop == at_start.interop);
        }
        CHECK(screen.renderer().transfer_ms() > 0);
        CHECK(screen.renderer().transfer_ms() < 1000);
        // Then a run changes to the CPU backend and back.
        const PaneImage host = random_image(dice);
        screen.draw(host);
        CHECK(wrong_pixels(screen.read(), host) == 0);
        CHECK(contains(screen.renderer().transfer().text, "copied"));
        const PaneImage again = random_image(dice);
        screen.draw(on_device(again));
        CHECK(wrong_pixels(screen.read(), again) == 0);
        CHECK(screen.renderer().transfer().text == at_start.text);
    }
}

TEST_CASE("Pixels on the GPU outlive the copy into the texture and no longer") {
    require_gpu();
    Dice dice;
    Screen screen(kFieldColumns, kFieldRows, true);
    std::weak_ptr<const Pixels> first;
    {
        const PaneImage image = on_device(random_image(dice));
        first = image.pixels;
        screen.draw(image);
    }
    CHECK(!first.expired());
    screen.draw(on_device(random_image(dice)));
    screen.read();
    screen.renderer().transfer_ms();
    CHECK(first.expired());
}

#endif
