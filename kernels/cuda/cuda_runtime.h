// The CUDA runtime for the rest of the program, without including any CUDA header.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/cuda/gpu_facts.h"

namespace stencil {

/// A CUDA call failed; what() has the call, the error's name and its text.
struct CudaError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct CudaDevice {
    int index = 0;  ///< CUDA's device number
    std::string name;
    std::string pci;  ///< PCI address, "0000:17:00.0", by which other libraries know the device
    GpuFacts facts;
    std::size_t total_bytes = 0;
    std::size_t l2_bytes = 0;
};

struct CudaStatus {
    std::vector<CudaDevice> devices;   ///< usable devices
    std::vector<std::string> skipped;  ///< one line for each unusable device
    std::string why_none;    ///< one clause if there is no usable device, e.g. "no NVIDIA driver found"
    bool built_in = false;   ///< this build has the CUDA backend
    int driver_version = 0;  ///< as CUDA encodes it: 1000 major + 10 minor; 0 without a driver
    int runtime_version = 0;
};

/// Why a build whose oldest code is for the compute capability `oldest` (75 for 7.5) has no kernels for a GPU
/// of another one; empty if it has.
inline std::string why_too_old(int compute_capability, int oldest) {
    if (compute_capability >= oldest) return {};
    return "whose compute capability " + capability_name(compute_capability) + " is below " +
           capability_name(oldest) + ", the lowest that this build has kernels for";
}

/// The devices, queried once per process without opening any. A missing device or driver is not an error.
const CudaStatus& query_cuda();

/// The default device of all threads: the one set by choose_cuda_device(), else the first usable one. Only
/// devices in use are opened.
int default_cuda_device();
/// The compute capability of the default device itself, 90 for 9.0; 0 without a device.
int default_compute_capability();
void choose_cuda_device(int index);
/// The devices over which independent runs may be spread: the chosen one, else all that run the default
/// device's code; none without CUDA.
std::vector<int> cuda_devices_of_runs();
/// Makes the device current for this thread.
void use_cuda_device(int index = default_cuda_device());
/// The facts of this thread's current device; not in a build without CUDA. Throws CudaError.
GpuFacts current_gpu_facts();

struct CudaMemoryInfo {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
};

/// Free and total memory of the device, which this call opens; zeros without a device.
CudaMemoryInfo cuda_memory(int device = default_cuda_device());

/// Counts the CudaMemory that its thread allocates, and refuses allocations above a limit. Memory of the
/// driver and libraries (contexts, kernels) is not counted.
class CudaMemoryMeter {
  public:
    /// `limit` is in bytes, 0 for none. At most one meter per thread.
    explicit CudaMemoryMeter(std::size_t limit = 0);
    ~CudaMemoryMeter();
    CudaMemoryMeter(const CudaMemoryMeter&) = delete;
    CudaMemoryMeter& operator=(const CudaMemoryMeter&) = delete;

    std::size_t peak_bytes() const;
    std::size_t bytes() const;
    /// Resets the peak to the current size.
    void restart();

    struct Count;

  private:
    std::shared_ptr<Count> count_;
};

/// Suspends the thread's meter during its lifetime, for measurements that are not part of the work.
class CudaMemoryUncounted {
  public:
    CudaMemoryUncounted();
    ~CudaMemoryUncounted();
    CudaMemoryUncounted(const CudaMemoryUncounted&) = delete;
    CudaMemoryUncounted& operator=(const CudaMemoryUncounted&) = delete;

  private:
    std::shared_ptr<CudaMemoryMeter::Count> suspended_;
};

/// Device memory, freed with the object. Uninitialised.
class CudaMemory {
  public:
    CudaMemory() = default;
    /// Throws CudaError, also if the thread's meter refuses.
    explicit CudaMemory(std::size_t bytes, int device = default_cuda_device());
    void* data() const { return data_.get(); }
    int device() const { return data_.get_deleter().device; }

  private:
    struct Free {
        std::size_t bytes;  // unique_ptr value-initializes it
        int device;
        std::shared_ptr<CudaMemoryMeter::Count> count;
        void operator()(void* p) const;
    };
    std::unique_ptr<void, Free> data_;
};

/// Page-locked host memory that is mapped for every device. Uninitialised.
class CudaHostMemory {
  public:
    CudaHostMemory() = default;
    explicit CudaHostMemory(std::size_t bytes, int device = default_cuda_device());
    void* data() const { return data_.get(); }

  private:
    struct Free {
        void operator()(void* p) const;
    };
    std::unique_ptr<void, Free> data_;
};

/// A non-blocking stream on one device.
class CudaStream {
  public:
    explicit CudaStream(int device = default_cuda_device());
    ~CudaStream();
    CudaStream(const CudaStream&) = delete;
    CudaStream& operator=(const CudaStream&) = delete;

    /// Waits for all work enqueued so far; throws CudaError if any of it failed.
    void synchronize();
    void* handle() const { return handle_; }  ///< the cudaStream_t
    int device() const { return device_; }
    void use_device() const { use_cuda_device(device_); }

  private:
    int device_ = 0;
    void* handle_ = nullptr;
};

/// A point in a stream that streams and the host can wait for.
class CudaEvent {
  public:
    explicit CudaEvent(bool timed = false);
    ~CudaEvent();
    CudaEvent(const CudaEvent&) = delete;
    CudaEvent& operator=(const CudaEvent&) = delete;

    /// Marks all work enqueued on the stream so far.
    void record(CudaStream& stream);
    /// Blocks the host; an event never recorded counts as reached.
    void wait();
    /// The device time between two events, both created with timing and both reached.
    double seconds_after(const CudaEvent& earlier) const;

  private:
    void* event_ = nullptr;
};

/// Device time between two points of a stream.
class CudaTimer {
  public:
    void start(CudaStream& stream) { start_.record(stream); }
    void stop(CudaStream& stream) { stop_.record(stream); }
    /// Waits for the second point; returns the seconds between the two.
    double seconds() {
        stop_.wait();
        return stop_.seconds_after(start_);
    }

  private:
    CudaEvent start_{true}, stop_{true};
};

/// Enqueues an empty kernel before a timed section. After OpenGL has drawn, it takes the wait for the GPU's
/// context switch (0.3 ms on an H200) instead of the first timed kernel.
void cuda_nudge(CudaStream& stream);

/// A 2D copy; sizes are in bytes.
struct RowCopy {
    void* to = nullptr;
    std::size_t to_pitch = 0;
    const void* from = nullptr;
    std::size_t from_pitch = 0;
    std::size_t width = 0;
    std::size_t rows = 0;
};
/// Copies between host and device and waits until they are done.
void copy_to_device(const RowCopy& copy, CudaStream& stream);
void copy_to_host(const RowCopy& copy, CudaStream& stream);

/// Copies values to new device memory.
template <class E>
CudaMemory uploaded(const std::vector<E>& values, CudaStream& stream) {
    const std::size_t bytes = values.size() * sizeof(E);
    CudaMemory memory(bytes, stream.device());
    copy_to_device({memory.data(), bytes, values.data(), bytes, bytes, 1}, stream);
    return memory;
}

/// Enqueues copies within the device, without waiting.
void copy_on_device(const RowCopy& copy, CudaStream& stream);
void copy_on_device(void* to, const void* from, std::size_t bytes, CudaStream& stream);

}  // namespace stencil
