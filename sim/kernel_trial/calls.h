// What a kernel compiled for the CPU calls: the emulator, which sets these pointers. Also a part of the
// kernel's text.
#pragma once

struct StencilscopeCalls {
    // Before a load or store of memory. `place` is a return address: where in the kernel.
    void (*access)(const void* address, unsigned bytes, bool writes, bool is_atomic, const void* place);
    // __syncthreads(). Returns how many threads had a predicate that holds.
    int (*barrier)(int line, bool predicate);
    // __syncwarp() and what exchanges values: `values` (32 of `bytes` each) gets those of the mask's lanes.
    // Returns the lanes that gave one.
    unsigned (*exchange)(int line, unsigned mask, const void* value, unsigned bytes, void* values);
    void (*copy_later)(void* to, const void* from, unsigned bytes);  // __pipeline_memcpy_async()
    void (*commit_copies)();
    void (*wait_for_copies)(unsigned newest);
    void (*stop)(int line, const char* why);
};

struct StencilscopeThread {
    unsigned thread[3], block[3], block_size[3], grid_size[3];
};
