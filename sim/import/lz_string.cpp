// The format is Lempel and Ziv's of 1978 with codes that grow by a bit whenever the dictionary fills them.
// Six bits are a character of the text; bits of a code come lowest first. The codes 0 and 1 introduce a new
// character of 8 or 16 bits, and 2 ends the text.
#include "sim/import/lz_string.h"

#include <array>
#include <cstdint>
#include <vector>

#include "sim/text/error.h"

namespace stencil {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-$";

[[noreturn]] void refuse_damaged() {
    throw InputError("the link's options are damaged: they are not compressed text");
}

class BitReader {
  public:
    explicit BitReader(std::string_view coded) : coded_(coded) {}

    unsigned take(int count) {
        unsigned value = 0;
        for (int i = 0; i < count; ++i) value |= unsigned(take_bit()) << i;
        return value;
    }

  private:
    bool take_bit() {
        if (left_ == 0) {
            if (at_ == coded_.size()) refuse_damaged();
            // Decoders of forms turn + into a space.
            const char c = coded_[at_] == ' ' ? '+' : coded_[at_];
            const std::size_t place = kAlphabet.find(c);
            if (place >= 64) refuse_damaged();
            ++at_;
            bits_ = unsigned(place);
            left_ = 6;
        }
        --left_;
        return (bits_ >> left_) & 1;
    }

    std::string_view coded_;
    std::size_t at_ = 0;
    unsigned bits_ = 0;
    int left_ = 0;
};

// A text that grows by words of a dictionary. A new word is an earlier one plus the next character, so it is
// a substring of the text, and only its position is stored.
class Decoder {
  public:
    Decoder(std::string_view coded, std::size_t most) : bits_(coded), most_(most) {}

    std::u16string text() {
        if (!take_word(2)) return {};
        while (take_word(width_)) {
        }
        return std::move(text_);
    }

  private:
    struct Word {
        std::size_t from = 0, length = 0;
    };

    // Appends the word of the next code; false at the end.
    bool take_word(int width) {
        const unsigned code = bits_.take(width);
        if (code == 2) return false;
        const std::size_t begin = text_.size();
        const bool first = begin == 0;
        if (code < 2) {
            append(char16_t(bits_.take(code == 0 ? 8 : 16)));
            words_.push_back({begin, 1});
            if (!first) count();
        } else if (code - 3 < words_.size()) {
            append_from(words_[code - 3].from, words_[code - 3].length);
        } else if (!first && code - 3 == words_.size()) {
            append_from(last_, begin - last_);
            append(text_[last_]);
        } else {
            refuse_damaged();
        }
        if (!first) {
            words_.push_back({last_, begin - last_ + 1});
            count();
        }
        last_ = begin;
        return true;
    }

    void append(char16_t unit) {
        if (text_.size() == most_)
            throw InputError("the link's options are longer than {} characters", most_);
        text_.push_back(unit);
    }

    void append_from(std::size_t from, std::size_t length) {
        for (std::size_t i = 0; i < length; ++i) append(text_[from + i]);
    }

    // Widens the codes once the dictionary has filled them.
    void count() {
        if (--free_ > 0) return;
        constexpr int kWidest = 28;  // far more than any text of the allowed length needs
        if (width_ == kWidest) refuse_damaged();
        free_ = std::size_t(1) << width_;
        ++width_;
    }

    BitReader bits_;
    std::size_t most_;
    std::u16string text_;
    std::vector<Word> words_;  ///< words_[0] has code 3
    std::size_t last_ = 0;     ///< position of the last word
    int width_ = 3;
    std::size_t free_ = 4;  ///< number of codes until the width grows
};

void append_utf8(std::string& text, std::uint32_t code) {
    const auto put = [&](std::uint32_t byte) { text.push_back(char(byte)); };
    if (code < 0x80) return put(code);
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    constexpr std::array<std::uint32_t, 4> kHeads{0, 0xc0, 0xe0, 0xf0};
    put(kHeads[std::size_t(more)] | (code >> (6 * more)));
    for (int i = more - 1; i >= 0; --i) put(0x80 | ((code >> (6 * i)) & 0x3f));
}

std::string utf8_of(const std::u16string& units) {
    std::string text;
    for (std::size_t i = 0; i < units.size(); ++i) {
        const std::uint32_t unit = units[i];
        const bool high = unit >= 0xd800 && unit < 0xdc00;
        const bool pair = high && i + 1 < units.size() && (units[i + 1] & 0xfc00) == 0xdc00;
        if (pair)
            append_utf8(text, 0x10000 + ((unit - 0xd800) << 10) + (units[++i] - 0xdc00u));
        else
            append_utf8(text, unit >= 0xd800 && unit < 0xe000 ? 0xfffd : unit);
    }
    return text;
}

}  // namespace

std::string decompress_lz_string(std::string_view coded, std::size_t most) {
    return utf8_of(Decoder(coded, most).text());
}

}  // namespace stencil
