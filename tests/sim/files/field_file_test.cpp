#include "sim/files/field_file.h"

#include <fmt/format.h>

#include <cmath>

#include "sim/files/exchange/field_set.h"
#include "sim/files/image.h"
#include "sim/text/base64.h"
#include "tests/support/fields.h"

namespace {

// The rows of a file, joined; NaN as "-".
std::string cells_of(const std::filesystem::path& file,
                     const std::string& variable = "",
                     bool required = false) {
    const Field field = open_field({file.string(), variable, required}).read();
    std::string text;
    for (int y = 0; y < field.ny(); ++y)
        for (int x = 0; x < field.nx(); ++x) {
            const double value = field.visit([&](const auto& cells) { return double(cells.at(x, y)); });
            text += (x > 0 ? " " : y > 0 ? " / " : "") + (std::isnan(value) ? "-" : fmt::format("{}", value));
        }
    return text;
}

}  // namespace

TEST_CASE("Tables are read as NumPy, pandas and spreadsheets write them") {
    const ScratchFolder folder;
    const auto read = [&](std::string_view text) { return cells_of(write_bytes(folder / "t.csv", text)); };
    CHECK(read("1,2,3\n4,5,6\n") == "1 2 3 / 4 5 6");
    CHECK(read("# saved\r\n1.5e0 -2\r\n  3\t+4\r\n") == "1.5 -2 / 3 4");
    CHECK(read("a;b\n0,5;1,25\n;NA\n") == "0.5 1.25 / - -");
    CHECK(read(",0,1,2\n0,1.5,2.5,3.5\n1,4.5,5.5,nan\n") == "1.5 2.5 3.5 / 4.5 5.5 -");
    CHECK(read("\xef\xbb\xbf\"1\"\t\"2\"\n") == "1 2");
    CHECK(read("1,2,\n3,4,\n") == "1 2 / 3 4");
    CHECK(read("x (mm),y (mm),u,time (s)\n0.5,1.5,3,7\n1.5,0.5,2,7\n0.5,0.5,1,7\n") == "1 2 / 3 -");
    const auto refused = [&](std::string_view text, std::string_view part) {
        CHECK(contains(input_error([&] { read(text); }), part));
    };
    refused("", "no cells");
    refused("1,2\n3\n", "line 2 has 1 values");
    refused("1,2\n3,four\n", "line 2: 'four' is not a number");
    refused("x,y,u\n0,0,1\n0,0,2\n", "two values at x = 0, y = 0");
    refused("x,y,u,v\n0,0,1,2\n", "u, v");
}

TEST_CASE("Archives of NumPy are read by the names of their arrays") {
    const ScratchFolder folder;
    // numpy.savez_compressed(FILE, u=arange(6, dtype="f4").reshape(2, 3), v=[[1, nan], [3, 4]])
    const auto file =
        write_bytes(folder / "a.npz",
                    *bytes_of_base64("UEsDBBQAAAAIAAAAIQBP6QAqVQAAAJgAAAAFABQAdS5ucHkBABAAmAAAAAAAAABVAAAAAAA"
                                     "AAJvsF+obEMnIUMZQrZ6SWpxcpG6l"
                                     "oG6TZqKuo6Cell9UUpSYF59flJIKEndLzClOBYoXZyQWpAL5GkY6CsaaOgq1CmQDLgYwaLA"
                                     "HEg5ABMQNQLzAAQBQSwMEFAAAAAgA"
                                     "AAAhALZxqeZWAAAAoAAAAAUAFAB2Lm5weQEAEACgAAAAAAAAAFYAAAAAAAAAm+"
                                     "wX6hsQychQxlCtnpJanFykbqWgbpNmoa6joJ6W"
                                     "X1RSlJgXn1+UkgoSd0vMKU4FihdnJBakAvkaRjoKRpo6CrUKZAMuBjD4YA+"
                                     "hf9RDaA4HCC3gAABQSwECFAMUAAAACAAAACEAT+kA"
                                     "KlUAAACYAAAABQAAAAAAAAAAAAAAgAEAAAAAdS5ucHlQSwECFAMUAAAACAAAACEAtnGp5lY"
                                     "AAACgAAAABQAAAAAAAAAAAAAAgAGM"
                                     "AAAAdi5ucHlQSwUGAAAAAAIAAgBmAAAAGQEAAAAA"));
    CHECK(cells_of(file, "u") == "0 1 2 / 3 4 5");
    CHECK(cells_of(file, "v") == "1 - / 3 4");
    CHECK(contains(input_error([&] { cells_of(file); }), "it has u, v: choose one"));
    CHECK(contains(input_error([&] { cells_of(file, "w", true); }), "no `w` but u, v"));
    std::string bytes = read_bytes(file);
    bytes[60] ^= 1;
    CHECK(contains(input_error([&] { cells_of(write_bytes(folder / "b.npz", bytes), "u"); }), "damaged"));
}

TEST_CASE("ImageData of VTK is read in text, base64 and raw bytes, and HDF5 by its names") {
    const ScratchFolder folder;
    const std::string head = R"(<VTKFile type="ImageData" byte_order="LittleEndian" header_type="UInt32")";
    const std::string image =
        R"(<ImageData WholeExtent="0 2 0 1 0 0"><Piece Extent="0 2 0 1 0 0"><PointData>)";
    const std::string tail = "</DataArray></PointData></Piece></ImageData></VTKFile>";
    const auto read = [&](const std::string& text) { return cells_of(write_bytes(folder / "f.vti", text)); };
    CHECK(read(head + ">" + image + R"(<DataArray type="Int16" Name="u" format="ascii">1 2 3
 4 5 6)" + tail) == "1 2 3 / 4 5 6");
    // As ParaView writes it: compressed blocks, and information within the array.
    CHECK(read(head + R"( compressor="vtkZLibDataCompressor">)" + image +
               R"(<DataArray type="Float64" Name="u" format="binary">
        AQAAAACAAAAwAAAAHgAAAA==eJxjYACBB/ZgiuEHlGZxgNA8UFoISos5AABnNgOP
        <InformationKey name="R">2.5</InformationKey>)" +
               tail) == "0.5 1.5 2.5 / 3.5 4.5 5.5");
    CHECK(contains(input_error([&] { read("<a/>"); }), "not a .vti"));

    const Field u = random_field(5, 4), v = random_field(5, 4);
    FieldSet set;
    set.run.components = {"u", "v"};
    set.run.x = -2;
    set.moment.time = 0.5;
    set.fields = {{"u", &u}, {"v", &v}};
    write_vti(folder / "own.vti", set);
    CHECK(contains(read_bytes(folder / "own.vti"), "Origin=\"-2 0 0\""));
    CHECK(same_bits(open_field({(folder / "own.vti").string(), "v"}).read(), v));
    if (!why_no_hdf5().empty()) skip(why_no_hdf5());
    write_hdf5(folder / "own.h5", set);
    CHECK(same_bits(open_field({(folder / "own.h5").string(), "v"}).read(), v));
    CHECK(contains(input_error([&] { open_field({(folder / "own.h5").string()}); }), "it has u, v"));
    CHECK(contains(
        input_error([&] {
            open_field(
                {write_bytes(folder / "cut.h5", read_bytes(folder / "own.h5").substr(0, 700)).string()});
        }),
        "damaged, or not an HDF5 file"));
}

TEST_CASE(
    "A picture lies as its Exif block says, and an unknown ending is answered with those that are read") {
    const auto file = reference_file("turned_80x40.jpg");
    CHECK(image_size(file) == std::pair{40, 80});
    const Array<double> upright = read_image(file);
    CHECK(upright.at(35, 5) > 0.9);
    CHECK(upright.at(5, 5) < 0.1);
    CHECK(upright.at(35, 75) < 0.1);
    const ScratchFolder folder;
    CHECK(contains(input_error([&] { cells_of(write_bytes(folder / "a.mat", "MATLAB")); }),
                   ".npy .npz .csv .txt .h5 .hdf5 .nc .cdf .vti .png .jpg .jpeg .tif .tiff"));
}
