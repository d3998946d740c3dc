// NumPy's .npz: a ZIP archive of .npy members (PKWARE's APPNOTE 6.3, sections 4.3 and 4.5.3).
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/files/deflate.h"
#include "sim/files/field_file.h"
#include "sim/files/npy.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

constexpr std::string_view kEndRecord = "PK\x05\x06", kWideEnd = "PK\x06\x06", kEntry = "PK\x01\x02",
                           kLocal = "PK\x03\x04";

struct Member {
    std::string name;  ///< without .npy
    unsigned method = 0;
    std::uint64_t packed = 0, size = 0, offset = 0, checksum = 0;
};

class Archive {
  public:
    explicit Archive(const std::string& path) : file_(path) {
        constexpr std::uintmax_t kLongestEnd = (1 << 16) + 22 + 76;  // with a comment and ZIP64's records
        const std::uintmax_t length = std::min(file_.size(), kLongestEnd);
        const std::string tail = bytes(file_.size() - length, length);
        const std::size_t end = tail.rfind(kEndRecord);
        if (end == tail.npos || end + 22 > tail.size()) damaged();
        std::uint64_t count = number(tail, end + 10, 2), size = number(tail, end + 12, 4),
                      offset = number(tail, end + 16, 4);
        if (const std::size_t wide = tail.rfind(kWideEnd, end); offset == 0xffffffff && wide != tail.npos) {
            count = number(tail, wide + 32, 8);
            size = number(tail, wide + 40, 8);
            offset = number(tail, wide + 48, 8);
        }
        const std::string list = bytes(offset, size);
        for (std::size_t at = 0; count > 0; --count) at = add(list, at);
    }

    InputFile& file() { return file_; }
    const std::vector<Member>& members() const { return members_; }

    std::string read(const Member& member) {
        const std::string head = bytes(member.offset, 30);
        if (!head.starts_with(kLocal)) damaged();
        const std::uint64_t begin = member.offset + 30 + number(head, 26, 2) + number(head, 28, 2);
        std::string packed = bytes(begin, member.packed);
        constexpr std::uint64_t kMaxInflated = 1032;  // deflate encodes at most 258 bytes in 2 bits
        if (member.method == 8 && member.size / kMaxInflated > member.packed) damaged();
        std::optional<std::string> all =
            member.method == 8 ? inflated_member(packed, std::size_t(member.size)) : std::move(packed);
        if (!all || all->size() != member.size || checksum(*all) != member.checksum) damaged();
        return std::move(*all);
    }

  private:
    // Adds the entry at a place of the list; returns where the next one begins.
    std::size_t add(const std::string& list, std::size_t at) {
        if (list.compare(at, 4, kEntry) != 0) damaged();
        Member member;
        const std::uint64_t flags = number(list, at + 8, 2);
        member.method = unsigned(number(list, at + 10, 2));
        member.checksum = number(list, at + 16, 4);
        member.packed = number(list, at + 20, 4);
        member.size = number(list, at + 24, 4);
        member.offset = number(list, at + 42, 4);
        const std::size_t name = number(list, at + 28, 2), extra = number(list, at + 30, 2);
        const std::size_t after_name = at + 46 + name, next = after_name + extra + number(list, at + 32, 2);
        if (next > list.size()) damaged();
        member.name = list.substr(at + 46, name);
        if ((flags & 1) != 0 || (member.method != 0 && member.method != 8))
            file_.refuse("encrypted or packed by another method than deflate");
        for (std::size_t i = after_name; i + 4 <= after_name + extra; i += 4 + number(list, i + 2, 2)) {
            if (number(list, i, 2) != 1) continue;
            std::size_t wide = i + 4;  // ZIP64: the numbers that do not fit, in this order
            for (std::uint64_t* one : {&member.size, &member.packed, &member.offset})
                if (*one == 0xffffffff) *one = number(list, std::exchange(wide, wide + 8), 8);
        }
        if (member.name.ends_with(".npy")) {
            member.name.resize(member.name.size() - 4);
            members_.push_back(std::move(member));
        }
        return next;
    }

    std::uint64_t number(const std::string& from, std::size_t at, std::size_t count) const {
        if (at + count > from.size()) damaged();
        std::uint64_t value = 0;
        std::memcpy(&value, from.data() + at, count);
        return value;
    }

    std::string bytes(std::uint64_t offset, std::uint64_t count) {
        if (offset > file_.size() || count > file_.size() - offset) damaged();
        std::string result(std::size_t(count), '\0');
        file_.seek(offset);
        file_.read(std::as_writable_bytes(std::span(result)));
        return result;
    }

    [[noreturn]] void damaged() const { file_.refuse("a damaged .npz archive"); }

    InputFile file_;
    std::vector<Member> members_;
};

}  // namespace

FoundField open_npz(const FieldPlace& place) {
    Archive archive(place.file);
    std::vector<std::string> names;
    for (const Member& member : archive.members()) names.push_back(member.name);
    const Member& member = archive.members()[chosen_variable(archive.file(), place, names)];
    const auto file =
        std::make_shared<InputFile>(fmt::format("{}: {}", printable(place.file), printable(member.name)),
                                    std::make_shared<const std::string>(archive.read(member)));
    const NpyHeader header = read_field_header(*file);
    return {int(header.shape[1]), int(header.shape[0]), [=] { return read_npy_cells(*file, header); }};
}

}  // namespace stencil
