// CUDA writes into OpenGL textures. This is the only file of app/ that includes CUDA headers.
#include "app/window/display/interop.h"

#include <GL/gl.h>
#include <cuda_gl_interop.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

namespace stencil {
namespace {

struct DestroyEvent {
    void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
};
using GpuEvent = std::unique_ptr<CUevent_st, DestroyEvent>;

struct DestroyStream {
    void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
};
using Stream = std::unique_ptr<CUstream_st, DestroyStream>;

/// A pending copy, which keeps its pixels alive until it is done.
struct Copy {
    unsigned texture = 0;
    GpuEvent start, stop;
    std::shared_ptr<const Pixels> pixels;
};

bool in_software(std::string_view renderer) {
    return renderer.find("llvmpipe") != renderer.npos || renderer.find("softpipe") != renderer.npos;
}

std::string opengl_name(std::string_view renderer) {
    if (in_software(renderer)) return fmt::format("{} (software)", renderer.substr(0, renderer.find(' ')));
    return std::string(renderer.substr(0, renderer.find('/')));
}

std::string cuda_name(int device) {
    cudaDeviceProp properties{};
    return cudaGetDeviceProperties(&properties, device) == cudaSuccess ? properties.name : "another device";
}

}  // namespace

struct Interop::State {
    bool ready = false;
    std::string text;
    Stream stream;
    std::map<unsigned, cudaGraphicsResource_t> textures;
    std::map<unsigned, double> milliseconds;
    std::deque<Copy> copies;  ///< oldest first

    State(bool allowed, std::string_view renderer) {
        int devices = 0, device = 0;
        if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
            cudaGetLastError();
            text = "CPU backend: copied to the texture";
        } else if (!allowed) {
            text = "copied through the host: interop is switched off";
        } else if (works(cudaSetDevice(device = default_cuda_device()), "cudaSetDevice") &&
                   same_device(device, renderer) && make_stream()) {
            ready = true;
            text = "CUDA writes the texture (interop)";
        }
    }

    // Clears CUDA's last error, so that no later call reports it.
    bool works(cudaError_t error, const char* call) {
        if (error == cudaSuccess) return true;
        cudaGetLastError();
        ready = false;
        text = fmt::format("copied through the host: {}: {}", call, cudaGetErrorString(error));
        return false;
    }

    bool same_device(int device, std::string_view renderer) {
        constexpr unsigned kMax = 32;
        unsigned count = 0;
        int found[kMax] = {};
        // Querying a software context would be an error, which sanitizers report.
        const cudaError_t error = in_software(renderer)
                                      ? cudaErrorNoDevice
                                      : cudaGLGetDevices(&count, found, kMax, cudaGLDeviceListAll);
        cudaGetLastError();
        int* const end = found + std::min(count, kMax);
        if (error == cudaSuccess && std::find(found, end, device) != end) return true;
        text = fmt::format(
            "copied through the host: OpenGL is {}, CUDA is {}", opengl_name(renderer), cuda_name(device));
        return false;
    }

    // High priority: otherwise it would wait for many milliseconds of queued steps.
    bool make_stream() {
        if (stream) return true;
        int least = 0, greatest = 0;
        cudaStream_t made = nullptr;
        if (!works(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange") ||
            !works(cudaStreamCreateWithPriority(&made, cudaStreamNonBlocking, greatest),
                   "cudaStreamCreateWithPriority"))
            return false;
        stream.reset(made);
        return true;
    }

    bool make_event(GpuEvent& event) {
        cudaEvent_t made = nullptr;
        if (!works(cudaEventCreate(&made), "cudaEventCreate")) return false;
        event.reset(made);
        return true;
    }

    cudaGraphicsResource_t* resource_of(unsigned texture) {
        const auto found = textures.find(texture);
        if (found != textures.end()) return &found->second;
        cudaGraphicsResource_t made = nullptr;
        if (!works(cudaGraphicsGLRegisterImage(
                       &made, texture, GL_TEXTURE_2D, cudaGraphicsRegisterFlagsWriteDiscard),
                   "cudaGraphicsGLRegisterImage"))
            return nullptr;
        return &(textures[texture] = made);
    }

    // Enqueues the copy into a mapped texture.
    bool enqueue(cudaGraphicsResource_t resource, const Copy& copy) {
        const Pixels& pixels = *copy.pixels;
        const std::size_t row = std::size_t(pixels.width) * sizeof(float);
        cudaArray_t array = nullptr;
        return works(cudaGraphicsSubResourceGetMappedArray(&array, resource, 0, 0),
                     "cudaGraphicsSubResourceGetMappedArray") &&
               works(cudaEventRecord(copy.start.get(), stream.get()), "cudaEventRecord") &&
               works(cudaMemcpy2DToArrayAsync(array,
                                              0,
                                              0,
                                              pixels.device_data(),
                                              row,
                                              row,
                                              std::size_t(pixels.height),
                                              cudaMemcpyDeviceToDevice,
                                              stream.get()),
                     "cudaMemcpy2DToArrayAsync") &&
               works(cudaEventRecord(copy.stop.get(), stream.get()), "cudaEventRecord");
    }

    void collect() {
        while (!copies.empty()) {
            const Copy& copy = copies.front();
            const cudaError_t state = cudaEventQuery(copy.stop.get());
            if (state == cudaErrorNotReady) {
                cudaGetLastError();
                return;
            }
            float elapsed = 0;
            if (works(state, "copying to the texture") &&
                works(cudaEventElapsedTime(&elapsed, copy.start.get(), copy.stop.get()),
                      "cudaEventElapsedTime"))
                milliseconds[copy.texture] = elapsed;
            copies.pop_front();
        }
    }
};

Interop::Interop(bool allowed, std::string_view renderer)
    : state_(std::make_unique<State>(allowed, renderer)) {}

Interop::~Interop() {
    if (state_->stream) cudaStreamSynchronize(state_->stream.get());
    for (const auto& [texture, resource] : state_->textures) cudaGraphicsUnregisterResource(resource);
    cudaGetLastError();
}

bool Interop::ready() const {
    return state_->ready;
}

const std::string& Interop::text() const {
    return state_->text;
}

bool Interop::upload(unsigned texture, std::shared_ptr<const Pixels> pixels) {
    State& state = *state_;
    state.collect();
    if (!state.ready) return false;
    Copy copy{texture, nullptr, nullptr, std::move(pixels)};
    if (!state.make_event(copy.start) || !state.make_event(copy.stop)) return false;
    cudaGraphicsResource_t* resource = state.resource_of(texture);
    if (!resource) return false;
    if (!state.works(cudaGraphicsMapResources(1, resource, state.stream.get()), "cudaGraphicsMapResources"))
        return false;
    const bool enqueued = state.enqueue(*resource, copy);
    state.copies.push_back(std::move(copy));
    const bool unmapped = state.works(cudaGraphicsUnmapResources(1, resource, state.stream.get()),
                                      "cudaGraphicsUnmapResources");
    return enqueued && unmapped;
}

bool Interop::read(const Pixels& pixels, float* values) {
    State& state = *state_;
    const std::size_t bytes = std::size_t(pixels.width) * std::size_t(pixels.height) * sizeof(float);
    return state.make_stream() &&
           state.works(cudaMemcpyAsync(
                           values, pixels.device_data(), bytes, cudaMemcpyDeviceToHost, state.stream.get()),
                       "cudaMemcpyAsync") &&
           state.works(cudaStreamSynchronize(state.stream.get()), "cudaStreamSynchronize");
}

std::optional<double> Interop::milliseconds(unsigned texture) {
    state_->collect();
    const auto found = state_->milliseconds.find(texture);
    if (found == state_->milliseconds.end()) return std::nullopt;
    return found->second;
}

void Interop::forget(unsigned texture) {
    const auto found = state_->textures.find(texture);
    if (found != state_->textures.end()) {
        cudaStreamSynchronize(state_->stream.get());
        cudaGraphicsUnregisterResource(found->second);
        cudaGetLastError();
        state_->textures.erase(found);
    }
    state_->milliseconds.erase(texture);
}

}  // namespace stencil
