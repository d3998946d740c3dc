#include "app/window/system_fonts.h"

#include <memory>
#include <string_view>

#include "kernels/cpu/late_library.h"

// Declarations from fontconfig's header, so that building does not need it.
extern "C" {
struct FcPattern;
struct FcCharSet;
struct FcConfig;
struct FcFontSet {
    int nfont, sfont;
    FcPattern** fonts;
};
FcPattern* FcPatternCreate();
void FcPatternDestroy(FcPattern*);
int FcPatternAddCharSet(FcPattern*, const char*, const FcCharSet*);
int FcPatternAddBool(FcPattern*, const char*, int);
int FcPatternGetCharSet(const FcPattern*, const char*, int, FcCharSet**);
int FcPatternGetString(const FcPattern*, const char*, int, unsigned char**);
int FcPatternGetInteger(const FcPattern*, const char*, int, int*);
int FcPatternGetBool(const FcPattern*, const char*, int, int*);
FcCharSet* FcCharSetCreate();
void FcCharSetDestroy(FcCharSet*);
int FcCharSetAddChar(FcCharSet*, unsigned);
int FcCharSetHasChar(const FcCharSet*, unsigned);
int FcConfigSubstitute(FcConfig*, FcPattern*, int kind);
void FcDefaultSubstitute(FcPattern*);
FcFontSet* FcFontSort(FcConfig*, FcPattern*, int trim, FcCharSet**, int* result);
void FcFontSetDestroy(FcFontSet*);
}

namespace stencil {
namespace {

const LazyLibrary& library() {
    static const LazyLibrary opened("libfontconfig.so.1", "fontconfig");
    return opened;
}
#define FC(name) LATE_FUNCTION(library(), name)

constexpr int kMatchPattern = 0;  // FcMatchPattern

// Whether ImGui can draw its glyphs: outlines, without colours.
bool is_drawable(const FcPattern* font) {
    unsigned char* format = nullptr;
    if (FC(FcPatternGetString)(font, "fontformat", 0, &format) != 0) return false;
    const std::string_view is(reinterpret_cast<const char*>(format));
    int color = 0;
    FC(FcPatternGetBool)(font, "color", 0, &color);
    return (is == "TrueType" || is == "CFF") && color == 0;
}

std::vector<SystemFont> found(const std::set<unsigned>& characters) {
    const std::unique_ptr<FcPattern, void (*)(FcPattern*)> wanted(FC(FcPatternCreate)(),
                                                                  FC(FcPatternDestroy));
    const std::unique_ptr<FcCharSet, void (*)(FcCharSet*)> set(FC(FcCharSetCreate)(), FC(FcCharSetDestroy));
    for (const unsigned one : characters) FC(FcCharSetAddChar)(set.get(), one);
    FC(FcPatternAddCharSet)(wanted.get(), "charset", set.get());
    FC(FcPatternAddBool)(wanted.get(), "scalable", 1);
    FC(FcConfigSubstitute)(nullptr, wanted.get(), kMatchPattern);
    FC(FcDefaultSubstitute)(wanted.get());
    int result = 0;
    const std::unique_ptr<FcFontSet, void (*)(FcFontSet*)> sorted(
        FC(FcFontSort)(nullptr, wanted.get(), 1, nullptr, &result), FC(FcFontSetDestroy));
    std::vector<SystemFont> fonts;
    std::set<unsigned> left = characters;
    for (int i = 0; sorted && i < sorted->nfont && !left.empty(); ++i) {
        const FcPattern* const font = sorted->fonts[i];
        unsigned char* file = nullptr;
        FcCharSet* has = nullptr;
        if (FC(FcPatternGetString)(font, "file", 0, &file) != 0 ||
            FC(FcPatternGetCharSet)(font, "charset", 0, &has) != 0 || !is_drawable(font))
            continue;
        SystemFont taken{reinterpret_cast<const char*>(file), 0, {}};
        FC(FcPatternGetInteger)(font, "index", 0, &taken.index);
        taken.index &= 0xffff;  // the upper half is an instance of a variable font
        std::erase_if(left, [&](unsigned one) {
            return FC(FcCharSetHasChar)(has, one) != 0 && taken.characters.insert(one).second;
        });
        if (!taken.characters.empty()) fonts.push_back(std::move(taken));
    }
    return fonts;
}

}  // namespace

std::vector<SystemFont> system_fonts(const std::set<unsigned>& characters) {
    if (characters.empty() || !library().why_none().empty()) return {};
    try {
        return found(characters);
    } catch (const MissingLibrary&) {
        return {};  // too old
    }
}

}  // namespace stencil
