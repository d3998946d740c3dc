"""Reads exports for other programs with those programs' own libraries."""

import ctypes.util
import json
import os
import subprocess
import xml.etree.ElementTree

import numpy
import pytest

h5py = pytest.importorskip("h5py")
vtkIOXML = pytest.importorskip("vtkmodules.vtkIOXML")
from vtkmodules.util.numpy_support import vtk_to_numpy  # noqa: E402

PROGRAM = os.environ["STENCILSCOPE"]
RUN = ("run --model gray-scott --size 48x32 --steps 25 --every 10 --dtype float64 --unit-length 0.5mm --unit-time s "
       "--export all,field.h5,frames.vti,frames.h5,frames.npy --quiet --out")


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    subprocess.run([PROGRAM, *RUN.split(), str(folder)], check=True)
    return folder


def read_vti(path):
    reader = vtkIOXML.vtkXMLImageDataReader()
    reader.SetFileName(str(path))
    reader.Update()
    image = reader.GetOutput()
    nx, ny = (size - 1 for size in image.GetDimensions()[:2])
    cells = image.GetCellData()
    names = [cells.GetArrayName(i) for i in range(cells.GetNumberOfArrays())]
    fields = {name: vtk_to_numpy(cells.GetArray(name)).reshape(ny, nx) for name in names}
    return image, fields


def test_vti_holds_every_field_with_its_distances_and_time(out):
    image, fields = read_vti(out / "field.vti")
    assert set(fields) == {f"{start}{name}" for start in ("", "initial_", "laplacian_") for name in "uv"}
    for name in "uv":
        for start, file in (("", "field"), ("initial_", "initial"), ("laplacian_", "laplacian")):
            expected = numpy.load(out / f"{file}-{name}.npy")
            assert fields[start + name].dtype == expected.dtype
            numpy.testing.assert_array_equal(fields[start + name], expected)
    assert image.GetSpacing()[:2] == (0.5, 0.5)
    assert image.GetFieldData().GetArray("TimeValue").GetValue(0) == 25
    assert image.GetFieldData().GetArray("step").GetValue(0) == 25


def test_pvd_lists_the_frames_with_their_times(out):
    listed = list(xml.etree.ElementTree.parse(out / "frames/field.pvd").iter("DataSet"))
    assert [float(part.get("timestep")) for part in listed] == [0, 10, 20, 25]
    for part in listed:
        _, fields = read_vti(out / "frames" / part.get("file"))
        for name in "uv":
            frame = numpy.load(out / f"frames/field-{name}_{int(float(part.get('timestep'))):06}.npy")
            numpy.testing.assert_array_equal(fields[name], frame)


def test_hdf5_holds_every_field_and_what_it_is(out):
    with h5py.File(out / "field.h5") as file:
        for name in "uv":
            for start, array in (("", "field"), ("initial_", "initial"), ("laplacian_", "laplacian")):
                numpy.testing.assert_array_equal(file[start + name][:], numpy.load(out / f"{array}-{name}.npy"))
        assert list(file.attrs["components"]) == ["u", "v"]
        assert (file.attrs["dx"], file.attrs["length_unit"], file.attrs["time_unit"]) == (0.5, "mm", "s")
        assert (file.attrs["step"], file.attrs["time"]) == (25, 25)
        assert json.loads(file.attrs["spec"]) == json.loads((out / "spec.json").read_text())


def test_hdf5_frames_are_one_array(out):
    with h5py.File(out / "frames/field.h5") as file:
        assert list(file["step"]) == list(file["t"]) == [0, 10, 20, 25]
        assert file["u"].shape == (4, 32, 48)
        for i, step in enumerate(file["step"]):
            for name in "uv":
                frame = numpy.load(out / f"frames/field-{name}_{step:06}.npy")
                numpy.testing.assert_array_equal(file[name][i], frame)
                with h5py.File(out / f"frames/field_{step:06}.h5") as one:
                    numpy.testing.assert_array_equal(one[name][:], frame)
                    assert one.attrs["time"] == step


def test_float32_and_one_component(tmp_path):
    words = "run --size 7x5 --steps 3 --export field.npy,field.vti,field.h5 --quiet --out".split()
    subprocess.run([PROGRAM, *words, str(tmp_path)], check=True)
    expected = numpy.load(tmp_path / "field.npy")
    _, fields = read_vti(tmp_path / "field.vti")
    with h5py.File(tmp_path / "field.h5") as file:
        for found in (fields["u"], file["u"][:]):
            assert found.dtype == numpy.float32
            numpy.testing.assert_array_equal(found, expected)


def test_the_coordinates_of_the_equation(tmp_path):
    text = "origin = -Lx/2, 10; du/dt = 0; dx = 0.5; dt = 0.25; size = 4x3; steps = 2; u(0) = x + 10*y"
    words = ["run", "--equation", text, *"--unit-length mm --unit-time s --every 1 --quiet --dtype float64".split(),
             "--export", "field.h5,frames.h5,field.csv,field.vti", "--out", str(tmp_path)]
    subprocess.run([PROGRAM, *words], check=True)
    x, y = numpy.arange(4)*0.5 - 0.75, numpy.arange(3)*0.5 + 10.25
    expected = x + 10*y[:, None]
    with h5py.File(tmp_path / "field.h5") as file:
        assert [dim[0].name for dim in file["u"].dims] == ["/y", "/x"]
        assert file["t"][()] == 0.5
    table = numpy.genfromtxt(tmp_path / "field.csv", delimiter=",", names=True)
    numpy.testing.assert_array_equal(table["u"].reshape(3, 4), expected)
    numpy.testing.assert_array_equal(table["x_mm"][:4], x)
    image, _ = read_vti(tmp_path / "field.vti")
    assert image.GetOrigin()[:2] == (-1, 10)
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    with xarray.open_dataset(tmp_path / "field.h5", engine="h5netcdf") as data:
        assert data["u"].dims == ("y", "x")
        numpy.testing.assert_array_equal(data["x"], x)
        assert data["x"].attrs["units"] == "mm" and float(data["t"]) == 0.5
        numpy.testing.assert_array_equal(data["u"].sel(x=0.25, y=10.75), 0.25 + 107.5)
    with xarray.open_dataset(tmp_path / "frames/field.h5", engine="h5netcdf") as data:
        assert data["u"].dims == ("t", "y", "x")
        numpy.testing.assert_array_equal(data["t"], [0, 0.25, 0.5])


def initial_of(tmp_path, file, *more, equation="du/dt = 0"):
    out = tmp_path / "read"
    words = ["run", "--equation", equation, "--initial", str(file), *"--steps 1 --threads 1 --quiet --replace".split(),
             "--dtype", "float64", "--export", "initial.npy", "--out", str(out), *more]
    subprocess.run([PROGRAM, *words], check=True, cwd=tmp_path)
    return numpy.load(out / "initial.npy")


def test_files_of_other_programs_are_read(tmp_path):
    u = numpy.random.default_rng(1).random((5, 7))
    numpy.savez_compressed(tmp_path / "a.npz", u=u, v=u + 1)
    numpy.savetxt(tmp_path / "a.txt", u)
    numpy.savetxt(tmp_path / "a.csv", u, delimiter=",", header="saved")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("u", data=u[None], chunks=True, compression="gzip")
        file["x"] = numpy.arange(7)
    for file in ("a.npz", "a.txt", "a.csv", "a.h5"):
        numpy.testing.assert_array_equal(initial_of(tmp_path, tmp_path / file), u)


CLASSIC_TYPES = {1: "i1", 2: "S1", 3: ">i2", 4: ">i4", 5: ">f4", 6: ">f8"}


def read_classic(path):
    """The attributes and variables of a classic netCDF file, by the grammar of its specification."""
    data, at = path.read_bytes(), 4
    assert data[:3] == b"CDF"

    def take(count, kind):
        nonlocal at
        values = numpy.frombuffer(data, kind, count, at)
        at += -(-values.nbytes // 4)*4
        return values

    def number(kind=">i4"):
        return int(take(1, kind)[0])

    def name():
        return take(number(), "S1").tobytes().decode()

    def entries(read):
        return [read() for _ in range((number(), number())[1])]

    def attribute():
        key, kind, count = name(), number(), number()
        values = take(count, CLASSIC_TYPES[kind])
        return key, values.tobytes().decode() if kind == 2 else values

    def variable():
        key, axes = name(), [number() for _ in range(number())]
        about, kind, _ = dict(entries(attribute)), number(), number()
        begin, shape = number(">i8" if data[3] == 2 else ">i4"), [dimensions[axis][1] for axis in axes]
        values = numpy.frombuffer(data, CLASSIC_TYPES[kind], int(numpy.prod(shape)), begin).reshape(shape)
        return key, (tuple(dimensions[axis][0] for axis in axes), about, values)

    number()
    dimensions = entries(lambda: (name(), number()))
    return dict(entries(attribute)), dict(entries(variable))


needs_netcdf = pytest.mark.skipif(ctypes.util.find_library("netcdf") is None, reason="libnetcdf is not here")
needs_tiff = pytest.mark.skipif(ctypes.util.find_library("tiff") is None, reason="libtiff is not here")


@needs_netcdf
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_classic_netcdf_has_the_fields_and_their_coordinates(tmp_path, dtype):
    text = "origin = -1, 10; du/dt = 0.1*lap(u); dv/dt = u; dx = 0.5; dt = 0.25; size = 5x3; u(0) = x*y"
    words = ["run", "--equation", text, *f"--steps 2 --unit-length mm --unit-time s --quiet --dtype {dtype}".split(),
             "--export", "field.nc,field.npy,spec.json", "--out", str(tmp_path)]
    subprocess.run([PROGRAM, *words], check=True)
    about, variables = read_classic(tmp_path / "field.nc")
    assert json.loads(about["spec"]) == json.loads((tmp_path / "spec.json").read_text())
    assert (about["dx"], about["step"], about["components"]) == (0.5, 2, "u v")
    for name in "uv":
        axes, of, values = variables[name]
        assert axes == ("y", "x") and of["coordinates"] == "t"
        numpy.testing.assert_array_equal(values, numpy.load(tmp_path / f"field-{name}.npy"))
        numpy.testing.assert_array_equal(initial_of(tmp_path, tmp_path / "field.nc", equation=f"d{name}/dt = 0"), values)
    # HDF5 is written by a process that has read netCDF.
    words = ["run", "--equation", "du/dt = 0", "--initial", tmp_path / "field.nc", *"--steps 1 --quiet --export field.h5 --out".split()]
    subprocess.run([PROGRAM, *map(str, words), str(tmp_path / "both")], check=True)
    with h5py.File(tmp_path / "both/field.h5") as file:
        numpy.testing.assert_array_equal(file["u"][:], variables["u"][2].astype("float32"))
    numpy.testing.assert_array_equal(variables["x"][2], numpy.arange(5)*0.5 - 0.75)
    numpy.testing.assert_array_equal(variables["y"][2], numpy.arange(3)*0.5 + 10.25)
    assert variables["x"][1] == {"axis": "X", "long_name": "x", "units": "mm"} and variables["t"][2] == 0.5


@needs_netcdf
def test_classic_netcdf_of_other_programs_is_read(tmp_path):
    def named(text):
        return len(text).to_bytes(4, "big") + text.encode() + bytes(-len(text) % 4)

    def counted(tag, parts):
        return tag.to_bytes(4, "big") + len(parts).to_bytes(4, "big") + b"".join(parts)

    def whole(*numbers):
        return b"".join(number.to_bytes(4, "big") for number in numbers)

    # CDF-1: short sst(1, 30, 40), packed as CF says, with a value that is missing.
    stored = numpy.arange(1200).reshape(30, 40)*7 - 20
    stored[1, 2] = -99
    about = [named("scale_factor") + whole(6, 1) + numpy.array(0.5, ">f8").tobytes(),
             named("add_offset") + whole(6, 1) + numpy.array(10, ">f8").tobytes(),
             named("_FillValue") + whole(3, 1) + numpy.array([-99, 0], ">i2").tobytes()]
    head = b"CDF\x01" + whole(0) + counted(10, [named("time") + whole(1), named("lat") + whole(30), named("lon") + whole(40)]) + whole(0, 0)
    variable = named("sst") + whole(3, 0, 1, 2) + counted(12, about) + whole(3, 2400)
    begin = len(head) + 8 + len(variable) + 4
    file = tmp_path / "sst.nc"
    file.write_bytes(head + counted(11, [variable + whole(begin)]) + stored.astype(">i2").tobytes())
    expected = numpy.where(stored == -99, numpy.nan, stored*0.5 + 10)
    read = initial_of(tmp_path, file, equation="du/dt = 0; edge: u = 0; inside = known(\"sst.nc\")")
    numpy.testing.assert_array_equal(read[~numpy.isnan(expected)], expected[~numpy.isnan(expected)])
    for name, content, why in (("cut.nc", file.read_bytes()[:1500], "cut off"), ("other.nc", b"CDF\x07" + bytes(99), "not a netCDF file"),
                               ("head.nc", file.read_bytes()[:60], "it has no array of two axes")):
        (tmp_path / name).write_bytes(content)
        done = subprocess.run([PROGRAM, "run", "--equation", "du/dt = 0", "--initial", str(tmp_path / name), "--backend", "cpu"],
                              capture_output=True, text=True)
        assert done.returncode == 2 and why in done.stderr and done.stderr.count("\n") == 1


@needs_tiff
def test_tiff_is_read(tmp_path):
    image = pytest.importorskip("PIL.Image")
    random = numpy.random.default_rng(3)
    grey, deep = random.integers(0, 256, (6, 9), "uint8"), random.integers(0, 65536, (6, 9), "uint16")
    real, color = random.normal(size=(6, 9)).astype("float32"), random.integers(0, 256, (6, 9, 3), "uint8")
    for values, expected in ((grey, grey/255), (deep, deep/65535), (real, real),
                             (color, (color @ numpy.array([299, 587, 114]))/255000)):
        for compression in (None, "tiff_lzw", "tiff_adobe_deflate"):
            image.fromarray(values).save(tmp_path / "a.tif", compression=compression)
            numpy.testing.assert_array_equal(initial_of(tmp_path, tmp_path / "a.tif"), expected)
    image.fromarray(color).quantize(8).save(tmp_path / "palette.tiff")
    palette = numpy.asarray(image.open(tmp_path / "palette.tiff").convert("RGB"))
    numpy.testing.assert_allclose(initial_of(tmp_path, tmp_path / "palette.tiff"),
                                  (palette @ numpy.array([299, 587, 114]))/255000, atol=1e-15)
    image.fromarray(grey).save(tmp_path / "turned.tif", tiffinfo={274: 6})
    numpy.testing.assert_array_equal(initial_of(tmp_path, tmp_path / "turned.tif"), numpy.rot90(grey, -1)/255)
    (tmp_path / "cut.tif").write_bytes((tmp_path / "a.tif").read_bytes()[:90])
    done = subprocess.run([PROGRAM, "run", "--equation", "du/dt = 0", "--initial", str(tmp_path / "cut.tif"), "--backend", "cpu"],
                          capture_output=True, text=True)
    assert done.returncode == 2 and "TIFF" in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize("mode", ["Ascii", "Binary", "Appended"])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("encoded", [False, True])
def test_image_data_of_vtk_is_read(tmp_path, mode, packed, encoded):
    from vtkmodules.util.numpy_support import numpy_to_vtk
    from vtkmodules.vtkCommonDataModel import vtkImageData

    u = numpy.random.default_rng(2).random((40, 70))
    for name, extra in (("point", 0), ("cell", 1)):
        image = vtkImageData()
        image.SetDimensions(70 + extra, 40 + extra, 1)
        data = image.GetCellData() if extra else image.GetPointData()
        array = numpy_to_vtk(u.ravel(), deep=True)
        array.SetName("u")
        data.AddArray(array)
        writer = vtkIOXML.vtkXMLImageDataWriter()
        writer.SetFileName(str(tmp_path / f"{name}.vti"))
        writer.SetInputData(image)
        getattr(writer, f"SetDataModeTo{mode}")()
        writer.SetEncodeAppendedData(encoded)
        if not packed:
            writer.SetCompressorTypeToNone()
        writer.Write()
        numpy.testing.assert_allclose(initial_of(tmp_path, tmp_path / f"{name}.vti"), u, rtol=1e-10 if mode == "Ascii" else 0)
