"""Reads exports for other programs with those programs' own libraries."""

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
