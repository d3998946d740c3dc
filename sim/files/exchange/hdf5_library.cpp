#include "sim/files/exchange/hdf5_library.h"

#include "kernels/machine/late_library.h"

namespace stencil::hdf5 {
namespace {

bool find(void* handle, const char* name, Id& value) {
    const Id* place = nullptr;
    if (find_symbol(handle, name, place)) value = *place;
    return place != nullptr;
}

bool find_functions(void* handle, Library& to) {
    return find_symbol(handle, "H5open", to.open) && find_symbol(handle, "H5dont_atexit", to.no_end) &&
           find_symbol(handle, "H5Fcreate", to.create_file) &&
           find_symbol(handle, "H5Fclose", to.close_file) && find_symbol(handle, "H5Idec_ref", to.release) &&
           find_symbol(handle, "H5Pcreate", to.new_properties) &&
           find_symbol(handle, "H5Pset_obj_track_times", to.set_tracking) &&
           find_symbol(handle, "H5Pset_file_locking", to.set_locking) &&
           find_symbol(handle, "H5Pset_virtual", to.set_virtual) &&
           find_symbol(handle, "H5Screate_simple", to.new_space) &&
           find_symbol(handle, "H5Sselect_hyperslab", to.select) &&
           find_symbol(handle, "H5Dcreate2", to.new_dataset) && find_symbol(handle, "H5Dwrite", to.write) &&
           find_symbol(handle, "H5Acreate2", to.new_attribute) &&
           find_symbol(handle, "H5Awrite", to.write_attribute) &&
           find_symbol(handle, "H5Tcopy", to.copy_type) && find_symbol(handle, "H5Tset_size", to.set_size) &&
           find_symbol(handle, "H5Tset_cset", to.set_characters) &&
           find_symbol(handle, "H5Eset_auto2", to.print_errors) &&
           find_symbol(handle, "H5Ewalk2", to.walk_errors);
}

// The library fills in these values when it is opened.
bool find_values(void* handle, Library& to) {
    return find(handle, "H5T_NATIVE_FLOAT_g", to.type_float) &&
           find(handle, "H5T_NATIVE_DOUBLE_g", to.type_double) &&
           find(handle, "H5T_NATIVE_INT64_g", to.type_integer) && find(handle, "H5T_C_S1_g", to.type_text) &&
           find(handle, "H5P_CLS_FILE_ACCESS_ID_g", to.file_access) &&
           find(handle, "H5P_CLS_DATASET_CREATE_ID_g", to.dataset_creation);
}

Library open_library() {
    Library result{};
    void* const handle = load_library({"libhdf5_serial.so.310",
                                       "libhdf5_serial.so.103",
                                       "libhdf5.so.310",
                                       "libhdf5.so.200",
                                       "libhdf5.so.103"});
    if (!handle)
        result.why_none = "HDF5's library was not found (libhdf5: it comes with the package hdf5-tools)";
    // no_end() disables the atexit handler, which would repeat a failed write and report it again.
    else if (!find_functions(handle, result) || result.no_end() < 0 || result.open() < 0 ||
             !find_values(handle, result))
        result.why_none = "HDF5's library is older than 1.10.7";
    else
        result.print_errors(0, nullptr, nullptr);
    return result;
}

}  // namespace

const Library& library() {
    static const Library opened = open_library();
    return opened;
}

}  // namespace stencil::hdf5
