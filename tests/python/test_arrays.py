import numpy as np
import pytest

import stencilscope as ss


class OnlyDlpack:
    """An object with nothing but DLPack, as arrays of other libraries."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **words):
        return self.array.__dlpack__(**words)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def read_only(a):
    a = a.copy()
    a.flags.writeable = False
    return a


LAYOUTS = {
    "C": lambda a: a,
    "Fortran": np.asfortranarray,
    "strided": lambda a: np.repeat(np.repeat(a, 2, 0), 3, 1)[::2, ::3],
    "reversed": lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
    "transposed": lambda a: a.T.copy().T,
    "one row for all": lambda a: np.broadcast_to(a[0], a.shape),
    "read-only": read_only,
    "DLPack": OnlyDlpack,
    "buffer": memoryview,
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_is_read(rng, layout, dtype):
    a = rng.random((13, 29)).astype(dtype)
    given = LAYOUTS[layout](a)
    expected = given if isinstance(given, np.ndarray) else a
    u = ss.Simulation(given).field()
    assert u.dtype == dtype and u.flags.c_contiguous
    np.testing.assert_array_equal(u, expected)


def test_the_array_is_copied(rng):
    a = rng.random((8, 8))
    sim = ss.Simulation(a)
    a[:] = 5
    assert sim.field().max() < 1


@pytest.mark.parametrize("dtype", ["float32", "f4", np.float32, np.dtype("f4"), np.single])
def test_dtype_says_the_precision(rng, dtype):
    a = rng.random((8, 8))
    u = ss.Simulation(a, dtype=dtype).field()
    np.testing.assert_array_equal(u, a.astype(np.float32))


@pytest.mark.parametrize(
    "given, kind, told",
    [
        (np.zeros(5), ValueError, r"\(5,\)"),
        (np.zeros((2, 3, 4)), ValueError, r"\(2, 3, 4\)"),
        (np.zeros(()), ValueError, "two axes"),
        (np.zeros((0, 4)), ValueError, r"\(0, 4\)"),
        (np.full((4, 5), np.nan), ValueError, "20 of 20"),
        (np.array([[1, 2], [np.inf, 3.0]]), ValueError, "row 1, column 0"),
        (np.full((4, 4), 2**53 + 1), TypeError, "int64.*astype"),
        (np.full((4, 4), np.longdouble(1) + np.finfo(np.longdouble).eps), TypeError, "astype"),
        (np.zeros((4, 4), complex), ValueError, "u is real"),
        (np.array([["a", "b"]]), TypeError, "initial"),
        (np.zeros((4, 4), object), TypeError, "object"),
        (np.zeros((4, 4), [("a", "f4"), ("b", "i1")]), TypeError, "initial"),
        (np.ma.masked_array(np.zeros((4, 4)), mask=np.eye(4)), TypeError, "masked"),
        ([[1.0, 2.0], [3.0]], TypeError, "no array"),
        ([[1.0, None]], TypeError, "object"),
        (42, TypeError, "int"),
        ({1: np.zeros((4, 4))}, TypeError, "names of components"),
    ],
)
def test_what_is_no_field_is_refused(given, kind, told):
    with pytest.raises(kind, match=told) as raised:
        ss.Simulation(given)
    assert "\n" not in str(raised.value)


class ByInterface:
    """An object with nothing but NumPy's older interface."""

    def __init__(self, array):
        self.array = array
        self.__array_interface__ = array.__array_interface__


class ByArray:
    """An object that NumPy can convert, as those of xarray, pandas and dask."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.array, dtype)


@pytest.mark.parametrize(
    "kind, dtype",
    [("bool", "f8"), ("i1", "f8"), ("u2", "f8"), ("i8", "f8"), ("f2", "f4"), (">f4", "f4"), (">f8", "f8"), ("g", "f8")],
)
@pytest.mark.parametrize("form", [np.asarray, ByInterface, ByArray])
def test_other_types_are_taken_where_nothing_is_lost(rng, kind, dtype, form):
    a = (rng.random((5, 7)) * 100).astype("f4").astype(kind)
    u = ss.Simulation(form(a)).field()
    assert u.dtype == np.dtype(dtype) and (u == a).all()


def test_a_list_and_a_packed_column_are_arrays():
    assert ss.Simulation([[1, 2], [3, 4.5]]).field().tolist() == [[1, 2], [3, 4.5]]
    assert (ss.Simulation(np.ones((4, 4), [("a", "f4"), ("b", "i1")])["a"]).field() == 1).all()


@pytest.mark.parametrize("library", ["pandas", "xarray", "dask.array", "torch"])
def test_arrays_of_other_libraries_are_taken(rng, library):
    module = pytest.importorskip(library)
    a = rng.random((6, 9))
    make = {"pandas": "DataFrame", "xarray": "DataArray", "dask.array": "from_array", "torch": "from_numpy"}[library]
    assert (ss.Simulation(getattr(module, make)(a)).field() == a).all()


def test_a_value_beyond_float32_is_refused():
    with pytest.raises(ValueError, match="float64"):
        ss.Simulation(np.full((4, 4), 1e300), dtype="float32")


def test_an_array_says_the_size():
    a = np.ones((30, 40))
    assert ss.Simulation(a, size=(40, 30)).shape == (30, 40)
    with pytest.raises(ValueError, match="30 rows and 40 columns"):
        ss.Simulation(a, size=(30, 40))
    with pytest.raises(ValueError, match="same"):
        ss.Simulation({"u": a, "v": a.T}, model="gray-scott")
    with pytest.raises(ValueError, match="w"):
        ss.Simulation({"w": a}, model="gray-scott")


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, BufferError, RuntimeError])
def test_an_exception_of_a_producer_goes_on_to_its_caller(error):
    class Producer:
        def __dlpack__(self, **words):
            raise error("from the producer")

        def __dlpack_device__(self):
            return (1, 0)

    with pytest.raises(error, match="from the producer"):
        ss.Simulation(Producer())
