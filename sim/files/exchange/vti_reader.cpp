// Reads VTK ImageData (.vti) by the document "VTK File Formats": cell or point data in text, base64 or raw
// bytes, also compressed by zlib.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <memory>

#include "sim/files/deflate.h"
#include "sim/files/field_file.h"
#include "sim/text/base64.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"
#include "sim/text/xml.h"

namespace stencil {
namespace {

struct DataArray {
    XmlAttributes attributes;
    std::string text;
    bool of_cells = false;
};

// The elements before the appended data, which are not XML.
class ImageFile : XmlHandler {
  public:
    ImageFile(const InputFile& file, std::string_view xml) {
        const End end = parse(xml, false);
        if (!end.stopped.empty()) file.refuse(end.stopped);
        if (!end.not_xml.empty() || attributes_.empty()) file.refuse("damaged, or not a .vti file of VTK");
    }

    std::string get(std::string_view name, const char* otherwise) const {
        const auto found = attributes_.find(name);
        return found == attributes_.end() ? otherwise : found->second;
    }
    std::vector<DataArray> take_arrays() { return std::move(arrays_); }
    std::string encoding() const { return encoding_; }

  private:
    void begin(std::string name, XmlAttributes attributes) override {
        if (open_) ++deeper_;
        if (name == "VTKFile" || name == "ImageData" || name == "Piece") attributes_.merge(attributes);
        if (name == "Piece" && ++pieces_ > 1) stop("several pieces; one is read");
        if (name == "CellData" || name == "PointData") group_ = name;
        if (name == "AppendedData") encoding_ = attributes["encoding"];
        if (name == "DataArray" && !group_.empty() && !open_)
            open_ = DataArray{attributes, "", group_ == "CellData"};
    }
    void end(std::string_view name) override {
        if (name == group_) group_.clear();
        if (open_ && deeper_-- == 0) {
            arrays_.push_back(*std::exchange(open_, std::nullopt));
            deeper_ = 0;
        }
    }
    void text(std::string_view text) override {
        if (open_ && deeper_ == 0) open_->text += text;
    }

    XmlAttributes attributes_;
    std::vector<DataArray> arrays_;
    std::optional<DataArray> open_;
    std::string group_, encoding_ = "base64";
    int pieces_ = 0, deeper_ = 0;  ///< elements within an array
};

struct NumberType {
    std::string_view name;
    std::size_t bytes;
    double (*value)(const char* bytes);
};
template <class T>
constexpr NumberType number_type(std::string_view name) {
    return {name, sizeof(T), [](const char* bytes) {
                T value;
                std::memcpy(&value, bytes, sizeof value);
                return double(value);
            }};
}
constexpr NumberType kTypes[] = {number_type<float>("Float32"),
                                 number_type<double>("Float64"),
                                 number_type<std::int8_t>("Int8"),
                                 number_type<std::int16_t>("Int16"),
                                 number_type<std::int32_t>("Int32"),
                                 number_type<std::int64_t>("Int64"),
                                 number_type<std::uint8_t>("UInt8"),
                                 number_type<std::uint16_t>("UInt16"),
                                 number_type<std::uint32_t>("UInt32"),
                                 number_type<std::uint64_t>("UInt64")};

// The bytes of an array in raw or base64 form, behind a header of whole numbers.
class Blocks {
  public:
    Blocks(const InputFile& file, const ImageFile& image, std::string_view data, bool base64)
        : file_(file),
          data_(data),
          base64_(base64),
          wide_(image.get("header_type", "UInt32") == "UInt64" ? 8 : 4) {
        const std::string compressor = image.get("compressor", "");
        if (!compressor.empty() && compressor != "vtkZLibDataCompressor")
            file.refuse(fmt::format("compressed by {}; zlib is read", quotable(compressor)));
        compressed_ = !compressor.empty();
    }

    std::string read(std::uint64_t wanted) const {
        if (!compressed_) {
            // Some encode the length by itself.
            const std::uint64_t length = (wide_ + 2) / 3 * 4;
            const bool apart = base64_ && data_.size() >= length && data_[length - 1] == '=';
            if (number(decoded(0, wide_), 0) != wanted) damaged();
            return apart ? decoded(length, wanted) : decoded(0, wide_ + wanted).substr(wide_);
        }
        const std::uint64_t count = number(decoded(0, wide_), 0);
        if (count > data_.size()) damaged();
        const std::uint64_t head_bytes = (3 + count) * wide_;
        const std::string head = decoded(0, head_bytes);
        const std::uint64_t whole = number(head, 1), last = number(head, 2);
        std::uint64_t packed = 0;
        for (std::uint64_t i = 0; i < count; ++i) packed += number(head, 3 + i);
        const std::uint64_t begin = base64_ ? (head_bytes + 2) / 3 * 4 : head_bytes;
        const std::string body = decoded(begin, packed);
        std::string result;
        std::size_t at = 0;
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::size_t size = number(head, 3 + i), full = i + 1 == count && last > 0 ? last : whole;
            if (full > wanted - result.size()) damaged();
            const auto block = inflated(std::string_view(body).substr(at, size), full);
            if (!block) damaged();
            result += *block;
            at += size;
        }
        if (result.size() != wanted) damaged();
        return result;
    }

  private:
    std::string decoded(std::uint64_t begin, std::uint64_t bytes) const {
        const std::uint64_t length = base64_ ? (bytes + 2) / 3 * 4 : bytes;
        if (begin > data_.size() || length > data_.size() - begin) damaged();
        const std::string_view part = data_.substr(std::size_t(begin), std::size_t(length));
        if (!base64_) return std::string(part);
        auto result = bytes_of_base64(part);
        if (!result || result->size() < bytes) damaged();
        result->resize(bytes);
        return std::move(*result);
    }
    std::uint64_t number(const std::string& from, std::uint64_t index) const {
        std::uint64_t value = 0;
        if ((index + 1) * wide_ > from.size()) damaged();
        std::memcpy(&value, from.data() + index * wide_, wide_);
        return value;
    }
    [[noreturn]] void damaged() const { file_.refuse("a damaged array"); }

    const InputFile& file_;
    std::string_view data_;
    bool base64_, compressed_ = false;
    std::size_t wide_;
};

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(kSpace);
    return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

// Numbers in text, between white space.
std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
        const std::size_t end = std::min(text.find_first_of(" \t\r\n"), text.size());
        words.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return words;
}

double number_in(const InputFile& file, std::string_view word) {
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size())
        file.refuse(fmt::format("'{}' is not a number", quotable(word)));
    return value;
}

}  // namespace

FoundField open_vti(const FieldPlace& place) {
    const auto file = std::make_shared<InputFile>(place.file);
    const auto text = std::make_shared<const std::string>(file->read_text());
    const std::size_t appended = text->find("<AppendedData");
    const std::size_t data =
        std::min(text->find('_', text->find('>', std::min(appended, text->size()))), text->size());
    ImageFile image(*file, std::string_view(*text).substr(0, data));
    if (image.get("byte_order", "LittleEndian") != "LittleEndian")
        file->refuse("big-endian; little-endian is read");

    std::vector<std::string> names;
    std::vector<DataArray> arrays;
    for (DataArray& array : image.take_arrays()) {
        const std::string components = array.attributes["NumberOfComponents"];
        if (!components.empty() && components != "1") continue;
        names.push_back(array.attributes["Name"]);
        arrays.push_back(std::move(array));
    }
    DataArray chosen = std::move(arrays[chosen_variable(*file, place, names)]);
    const std::string extent = image.get("Extent", image.get("WholeExtent", "").c_str());
    const auto corners = words_of(extent);
    if (corners.size() != 6) file->refuse("an <ImageData> without its extent");
    std::array<std::uint64_t, 3> points{};
    for (std::size_t axis = 0; axis < 3; ++axis)
        points[axis] = std::uint64_t(
            std::max(0.0, number_in(*file, corners[2 * axis + 1]) - number_in(*file, corners[2 * axis]) + 1));
    if (points[2] > (chosen.of_cells ? 2u : 1u)) file->refuse("a volume; a plane of x and y is read");
    const std::uint64_t nx = points[0] - (chosen.of_cells && points[0] > 0 ? 1 : 0),
                        ny = points[1] - (chosen.of_cells && points[1] > 0 ? 1 : 0);
    require_field_size(*file, nx, ny);
    if (double(nx) * double(ny) > 1032.0 * double(file->size())) file->refuse("cut off");

    const auto read = [=]<class T>(Array<T> cells) {
        XmlAttributes attributes = chosen.attributes;
        if (attributes["format"] == "ascii") {
            const auto words = words_of(chosen.text);
            if (words.size() != cells.size())
                file->refuse(fmt::format("{} values for {} x {} cells", words.size(), nx, ny));
            std::ranges::transform(
                words, cells.data(), [&](std::string_view word) { return T(number_in(*file, word)); });
            return cells;
        }
        const auto type = std::ranges::find(kTypes, std::string_view(attributes["type"]), &NumberType::name);
        if (type == std::end(kTypes)) file->refuse(fmt::format("type {}", quotable(attributes["type"])));
        const bool inside = attributes["format"] == "binary";
        std::string_view bytes = trimmed(chosen.text);
        if (!inside) {
            const std::uint64_t offset = read_whole(attributes["offset"]).value_or(-1);
            if (offset > text->size() - data - (data < text->size() ? 1 : 0)) file->refuse("cut off");
            bytes = std::string_view(*text).substr(data + 1 + offset);
        }
        const Blocks blocks(*file, image, bytes, inside || image.encoding() == "base64");
        const std::string all = blocks.read(cells.size() * type->bytes);
        for (std::size_t i = 0; i < cells.size(); ++i)
            cells.data()[i] = T(type->value(&all[i * type->bytes]));
        return cells;
    };
    return {int(nx), int(ny), [=]() -> Field {
                if (const auto type = chosen.attributes.find("type");
                    type != chosen.attributes.end() && type->second == "Float32")
                    return read(Array<float>(int(nx), int(ny)));
                return read(Array<double>(int(nx), int(ny)));
            }};
}

}  // namespace stencil
