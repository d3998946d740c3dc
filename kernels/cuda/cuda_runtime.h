// The CUDA runtime as the rest of the program sees it: no CUDA header behind this one.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace stencil {

/// A CUDA call failed: the call, the runtime's name for the error and its text.
struct CudaError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct CudaDevice {
    int index = 0;  ///< its number, as CUDA counts
    std::string name;
    int compute_major = 0;
    int compute_minor = 0;
    int multiprocessors = 0;
    std::size_t total_bytes = 0;
    std::size_t l2_bytes = 0;
};

struct CudaStatus {
    std::vector<CudaDevice> devices;   ///< those that can be used
    std::vector<std::string> skipped;  ///< a line for each that cannot
    std::string why_none;              ///< one clause where there is no device, e.g. "no NVIDIA driver found"
    bool built_in = false;             ///< this build has the CUDA backend
    int driver_version = 0;            ///< as CUDA encodes it: 1000 major + 10 minor; 0 without a driver
    int runtime_version = 0;
};

/// What there is, asked once per process; opens no device. Never throws for the lack of a device or driver.
const CudaStatus& query_cuda();

/// The device of whatever names none: the first that can be used, or the one chosen, for all threads and from
/// then on. Only devices in use are ever opened.
int default_cuda_device();
/// Of that device, 90 for 9.0; 0 where there is none.
int default_compute_capability();
void choose_cuda_device(int index);
/// Makes it this thread's: launches and queries of the runtime, and libraries, go there.
void use_cuda_device(int index = default_cuda_device());

struct CudaMemoryInfo {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
};

/// Of a device, which it opens, now; zeros where there is none.
CudaMemoryInfo cuda_memory(int device = default_cuda_device());

/// Counts what its thread allocates as CudaMemory while it lives, and refuses what would exceed a limit. What
/// the driver and the libraries take for themselves (contexts, kernels) is not counted.
class CudaMemoryMeter {
  public:
    /// One at a time per thread. Bytes; 0: no limit.
    explicit CudaMemoryMeter(std::size_t limit = 0);
    ~CudaMemoryMeter();
    CudaMemoryMeter(const CudaMemoryMeter&) = delete;
    CudaMemoryMeter& operator=(const CudaMemoryMeter&) = delete;

    std::size_t peak_bytes() const;
    std::size_t bytes() const;
    /// From now on the peak is that of what comes.
    void restart();
    /// The peak of the calling thread's meter; 0 where it has none.
    static std::size_t peak_of_thread();

    struct Count;

  private:
    std::shared_ptr<Count> count_;
};

/// While it lives the thread's meter neither counts nor refuses: for measurements beside the work.
class CudaMemoryUncounted {
  public:
    CudaMemoryUncounted();
    ~CudaMemoryUncounted();
    CudaMemoryUncounted(const CudaMemoryUncounted&) = delete;
    CudaMemoryUncounted& operator=(const CudaMemoryUncounted&) = delete;

  private:
    std::shared_ptr<CudaMemoryMeter::Count> suspended_;
};

/// Device memory, freed with the object. The contents start undefined.
class CudaMemory {
  public:
    CudaMemory() = default;
    /// Throws CudaError, also where the thread's meter allows no more.
    explicit CudaMemory(std::size_t bytes, int device = default_cuda_device());
    void* data() const { return data_.get(); }
    int device() const { return data_.get_deleter().device; }

  private:
    struct Free {
        std::size_t bytes;  // unique_ptr sets it to 0
        int device;
        std::shared_ptr<CudaMemoryMeter::Count> count;
        void operator()(void* p) const;
    };
    std::unique_ptr<void, Free> data_;
};

/// Page-locked host memory, which every device reads and writes at its own address too. The contents start
/// undefined.
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

/// A stream of a device, which everything that is enqueued on it works on.
class CudaStream {
  public:
    explicit CudaStream(int device = default_cuda_device());
    ~CudaStream();
    CudaStream(const CudaStream&) = delete;
    CudaStream& operator=(const CudaStream&) = delete;

    /// Waits for all work enqueued so far; throws CudaError where any of it failed.
    void synchronize();
    void* handle() const { return handle_; }  ///< the cudaStream_t
    int device() const { return device_; }
    void use_device() const { use_cuda_device(device_); }

  private:
    int device_ = 0;
    void* handle_ = nullptr;
};

/// Device time between two points of a stream.
class CudaTimer {
  public:
    CudaTimer();
    ~CudaTimer();
    CudaTimer(const CudaTimer&) = delete;
    CudaTimer& operator=(const CudaTimer&) = delete;

    void start(CudaStream& stream);
    void stop(CudaStream& stream);
    /// Waits for the stop; seconds between the two.
    double seconds();

  private:
    void* start_ = nullptr;
    void* stop_ = nullptr;
};

/// Enqueues a kernel that does nothing. Where OpenGL drew last, this kernel waits for the GPU to switch
/// contexts (0.3 ms on an H200), and not what is timed after it.
void cuda_nudge(CudaStream& stream);

/// Rows of `width` bytes.
struct RowCopy {
    void* to = nullptr;
    std::size_t to_pitch = 0;
    const void* from = nullptr;
    std::size_t from_pitch = 0;
    std::size_t width = 0;
    std::size_t rows = 0;
};
/// Between the host and the device; waits until done.
void copy_to_device(const RowCopy& copy, CudaStream& stream);
void copy_to_host(const RowCopy& copy, CudaStream& stream);

/// Enqueues copies within the device.
void copy_on_device(const RowCopy& copy, CudaStream& stream);
void copy_on_device(void* to, const void* from, std::size_t bytes, CudaStream& stream);

}  // namespace stencil
