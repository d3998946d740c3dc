"""Brings arrays of other libraries to the form that the program reads: float32 or float64, or a pair of them."""

from __future__ import annotations

import os
from typing import Any

import numpy


def is_array(value: Any) -> bool:
    """Whether a value is an array or a list of numbers rather than a text, a path or a number."""
    if isinstance(value, (list, tuple)):
        return True
    names = ("__array__", "__array_interface__", "__cuda_array_interface__", "__dlpack__")
    return not isinstance(value, (str, bytes, os.PathLike, numpy.generic)) and any(hasattr(value, name) for name in names)


def _on_gpu(value: Any) -> bool:
    if hasattr(value, "__cuda_array_interface__"):
        return True
    return hasattr(value, "__dlpack_device__") and int(value.__dlpack_device__()[0]) not in (1, 3)  # the CPU, pinned memory


def _on_host(value: Any, name: str) -> Any:
    """Returns a NumPy array of what NumPy can read."""
    if hasattr(value, "__dlpack__") and not hasattr(value, "__array__") and not hasattr(value, "__array_interface__"):
        return numpy.from_dlpack(value)
    try:
        array = numpy.asarray(value.detach() if hasattr(value, "detach") else value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name}: no array of numbers: {str(error).partition(chr(10))[0]}") from None
    if array.ndim == 0 and not isinstance(value, numpy.ndarray) and not hasattr(value, "__array__"):
        raise TypeError(f"{name}: {type(value).__name__} is not an array, a text or a list of rows")
    return array


def _floating(array: Any, name: str) -> Any:
    """Returns an array as float32 or float64, where that loses nothing."""
    kind, bits = array.dtype.kind, 8 * array.dtype.itemsize
    if kind not in "fiub":
        raise TypeError(f"{name}: an array of {array.dtype}: fields hold numbers, float32 or float64")
    native = numpy.dtype("float32" if kind == "f" and bits <= 32 else "float64")
    result = numpy.asarray(array, dtype=native)
    if (kind in "iu" or bits > 64) and not numpy.array_equal(result.astype(array.dtype.newbyteorder("=")), array, equal_nan=kind == "f"):
        raise TypeError(f"{name}: an array of {array.dtype}: some of its values are not numbers of float64: x.astype('float64') rounds them")
    return result if all(stride % result.itemsize == 0 for stride in result.strides) else result.copy()


def parts_of(value: Any, name: str) -> tuple[Any, Any]:
    """Returns the real and the imaginary part, None if it has none, of an array of any library on the host or a GPU.

    Raises TypeError for what is no array of numbers, and for numbers that float64 cannot hold.
    """
    if type(value).__name__ == "MaskedArray":
        raise TypeError(f"{name}: a masked array: x.filled(value) says what its masked cells hold")
    if _on_gpu(value):
        kind = str(getattr(value, "dtype", "float64"))
        if "complex" in kind:
            return value.real, value.imag
        if kind.endswith(("float32", "float64")):
            return value, None
        if hasattr(value, "cpu") or hasattr(value, "get"):  # PyTorch and CuPy
            value = value.cpu() if hasattr(value, "cpu") else value.get()
    array = _on_host(value, name)
    if array.dtype.kind == "c":
        return _floating(array.real, name), _floating(array.imag, name)
    return _floating(array, name), None
