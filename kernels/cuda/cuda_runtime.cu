#include "kernels/cuda/cuda_runtime.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <utility>

#include "kernels/cuda/cuda_check.cuh"

namespace stencil {
namespace {

// The compute capabilities that this file is compiled for, ascending, such as 750, 800.
constexpr int kArchitectures[] = {__CUDA_ARCH_LIST__};

// Queries the properties without creating a context on the device.
CudaDevice describe(int index) {
    cudaDeviceProp properties{};
    CUDA_CHECK(cudaGetDeviceProperties(&properties, index));
    const std::string too_old = why_too_old(10 * properties.major + properties.minor, kArchitectures[0] / 10);
    if (!too_old.empty()) throw CudaError(properties.name + (", " + too_old));
    const auto attribute = [index](cudaDeviceAttr name) {
        int value = 0;
        CUDA_CHECK(cudaDeviceGetAttribute(&value, name, index));
        return value;
    };
    if (attribute(cudaDevAttrComputeMode) == cudaComputeModeProhibited)
        throw CudaError("its compute mode is prohibited");
    CudaDevice device;
    device.index = index;
    device.name = properties.name;
    device.facts = {10 * properties.major + properties.minor,
                    properties.multiProcessorCount,
                    int(properties.sharedMemPerBlockOptin),
                    int(properties.sharedMemPerMultiprocessor),
                    properties.regsPerMultiprocessor,
                    properties.cooperativeLaunch != 0};
    // Clocks are in kHz; memory moves two bits per clock and line.
    const double bytes =
        2.0 * attribute(cudaDevAttrMemoryClockRate) * attribute(cudaDevAttrGlobalMemoryBusWidth) / 8;
    GpuFacts& facts = device.facts;
    facts.instructions_per_byte =
        bytes > 0 ? double(facts.multiprocessors) * facts.lanes() * attribute(cudaDevAttrClockRate) / bytes
                  : known_gpu(facts.capability).facts.instructions_per_byte;
    facts.float64_cost = std::max(attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio), 1);
    std::array<char, 32> pci{};
    CUDA_CHECK(cudaDeviceGetPCIBusId(pci.data(), int(pci.size()), index));
    device.pci = pci.data();
    device.total_bytes = properties.totalGlobalMem;
    device.l2_bytes = std::size_t(properties.l2CacheSize);
    return device;
}

CudaStatus find_devices() {
    CudaStatus status;
    status.built_in = true;
    cudaRuntimeGetVersion(&status.runtime_version);
    cudaDriverGetVersion(&status.driver_version);
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || count == 0) {
        cudaGetLastError();
        if (status.driver_version == 0)
            status.why_none = "no NVIDIA driver found";
        else if (error == cudaSuccess || error == cudaErrorNoDevice)
            status.why_none = "no CUDA device found";
        else
            status.why_none = cudaGetErrorString(error);
        return status;
    }
    for (int i = 0; i < count; ++i) try {
            status.devices.push_back(describe(i));
        } catch (const CudaError& failure) {
            status.skipped.push_back("GPU " + std::to_string(i) + ": " + failure.what());
        }
    if (status.devices.empty()) status.why_none = status.skipped.front();
    return status;
}

constexpr int kFirstUsable = -1;
std::atomic<int> chosen_device{kFirstUsable};

}  // namespace

// Asks CUDA for the current device, because other libraries on this thread (CuPy, PyTorch) change it. The
// first call always sets it: that makes the context current, which driver functions need.
void use_cuda_device(int index) {
    thread_local bool called = false;
    int current = -1;
    if (called && cudaGetDevice(&current) == cudaSuccess && current == index) return;
    CUDA_CHECK(cudaSetDevice(index));
    called = true;
}

GpuFacts current_gpu_facts() {
    int device = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    return gpu_facts(device);
}

const CudaStatus& query_cuda() {
    static const CudaStatus status = find_devices();
    return status;
}

int default_cuda_device() {
    const int chosen = chosen_device;
    if (chosen != kFirstUsable) return chosen;
    const auto& devices = query_cuda().devices;
    return devices.empty() ? 0 : devices.front().index;
}

int default_compute_capability() {
    for (const CudaDevice& device : query_cuda().devices)
        if (device.index == default_cuda_device()) return device.facts.capability;
    return 0;
}

void choose_cuda_device(int index) {
    chosen_device = index;
}

std::vector<int> cuda_devices_of_runs() {
    if (chosen_device != kFirstUsable) return {chosen_device};
    std::vector<int> devices;
    for (const CudaDevice& device : query_cuda().devices)
        if (device.facts.capability == default_compute_capability()) devices.push_back(device.index);
    return devices;
}

CudaMemoryInfo cuda_memory(int device) {
    CudaMemoryInfo info;
    if (query_cuda().devices.empty()) return info;
    use_cuda_device(device);
    CUDA_CHECK(cudaMemGetInfo(&info.free_bytes, &info.total_bytes));
    return info;
}

// Atomic, because memory may be freed on another thread.
struct CudaMemoryMeter::Count {
    std::size_t limit = 0;
    std::atomic<std::size_t> bytes{0};
    std::size_t peak = 0;
};

namespace {

thread_local std::shared_ptr<CudaMemoryMeter::Count> counting;

}  // namespace

CudaMemoryMeter::CudaMemoryMeter(std::size_t limit) : count_(std::make_shared<Count>()) {
    count_->limit = limit;
    counting = count_;
}

CudaMemoryMeter::~CudaMemoryMeter() {
    counting.reset();
}

std::size_t CudaMemoryMeter::peak_bytes() const {
    return count_->peak;
}

std::size_t CudaMemoryMeter::bytes() const {
    return count_->bytes;
}

void CudaMemoryMeter::restart() {
    count_->peak = count_->bytes;
}

CudaMemoryUncounted::CudaMemoryUncounted() : suspended_(std::move(counting)) {
    counting.reset();
}

CudaMemoryUncounted::~CudaMemoryUncounted() {
    counting = std::move(suspended_);
}

CudaMemory::CudaMemory(std::size_t bytes, int device) {
    const auto count = counting;
    if (count && count->limit > 0 && count->bytes + bytes > count->limit)
        throw CudaError("CUDA: " + std::to_string(bytes) + " bytes more would exceed the limit of " +
                        std::to_string(count->limit) + " bytes of GPU memory");
    use_cuda_device(device);
    void* data = nullptr;
    CUDA_CHECK(cudaMalloc(&data, bytes));
    data_ = std::unique_ptr<void, Free>(data, Free{bytes, device, count});
    if (!count) return;
    count->bytes += bytes;
    count->peak = std::max(count->peak, count->bytes.load());
}

void CudaMemory::Free::operator()(void* p) const {
    cudaFree(p);  // such an error is from an earlier call, which has reported it
    if (count) count->bytes -= bytes;
}

CudaHostMemory::CudaHostMemory(std::size_t bytes, int device) {
    use_cuda_device(device);
    void* data = nullptr;
    CUDA_CHECK(cudaHostAlloc(&data, bytes, cudaHostAllocMapped | cudaHostAllocPortable));
    data_.reset(data);
}

void CudaHostMemory::Free::operator()(void* p) const {
    cudaFreeHost(p);
}

CudaStream::CudaStream(int device) : device_(device) {
    use_device();
    cudaStream_t stream = nullptr;
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    handle_ = stream;
}

CudaStream::~CudaStream() {
    cudaStreamDestroy(static_cast<cudaStream_t>(handle_));
}

void CudaStream::synchronize() {
    CUDA_CHECK(cudaStreamSynchronize(cuda_handle(*this)));
}

CudaEvent::CudaEvent(bool timed) {
    cudaEvent_t event = nullptr;
    CUDA_CHECK(cudaEventCreateWithFlags(&event, timed ? cudaEventDefault : cudaEventDisableTiming));
    event_ = event;
}

CudaEvent::~CudaEvent() {
    cudaEventDestroy(static_cast<cudaEvent_t>(event_));
}

void CudaEvent::record(CudaStream& stream) {
    CUDA_CHECK(cudaEventRecord(static_cast<cudaEvent_t>(event_), cuda_handle(stream)));
}

void CudaEvent::wait() {
    CUDA_CHECK(cudaEventSynchronize(static_cast<cudaEvent_t>(event_)));
}

double CudaEvent::seconds_after(const CudaEvent& earlier) const {
    float milliseconds = 0;
    CUDA_CHECK(cudaEventElapsedTime(
        &milliseconds, static_cast<cudaEvent_t>(earlier.event_), static_cast<cudaEvent_t>(event_)));
    return double(milliseconds) * 1e-3;
}

namespace {

void copy_rows(const RowCopy& copy, cudaMemcpyKind kind, CudaStream& stream) {
    CUDA_CHECK(cudaMemcpy2DAsync(copy.to,
                                 copy.to_pitch,
                                 copy.from,
                                 copy.from_pitch,
                                 copy.width,
                                 copy.rows,
                                 kind,
                                 cuda_handle(stream)));
}

}  // namespace

void copy_to_device(const RowCopy& copy, CudaStream& stream) {
    copy_rows(copy, cudaMemcpyHostToDevice, stream);
    stream.synchronize();
}

void copy_to_host(const RowCopy& copy, CudaStream& stream) {
    copy_rows(copy, cudaMemcpyDeviceToHost, stream);
    stream.synchronize();
}

void copy_on_device(const RowCopy& copy, CudaStream& stream) {
    copy_rows(copy, cudaMemcpyDeviceToDevice, stream);
}

void copy_on_device(void* to, const void* from, std::size_t bytes, CudaStream& stream) {
    CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, cuda_handle(stream)));
}

namespace {
__global__ void nudge_kernel() {}
}  // namespace

void cuda_nudge(CudaStream& stream) {
    nudge_kernel<<<1, 1, 0, cuda_handle(stream)>>>();
    CUDA_CHECK(cudaGetLastError());
}

}  // namespace stencil
