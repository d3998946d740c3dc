#include "sim/import/ready_file.h"

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "sim/model/text/tokens.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil::import {
namespace {

constexpr std::size_t kMostElements = 4000, kDeepestElement = 20;

// Reads up to <ImageData>, behind which there are only values of cells.
class Reader {
  public:
    ReadyFile read(std::string_view xml) {
        const std::unique_ptr<XML_ParserStruct, void (*)(XML_Parser)> parser(XML_ParserCreate(nullptr),
                                                                             XML_ParserFree);
        if (!parser) throw std::bad_alloc();
        parser_ = parser.get();
        XML_SetUserData(parser_, this);
        XML_SetElementHandler(
            parser_,
            [](void* self, const XML_Char* name, const XML_Char** attributes) {
                static_cast<Reader*>(self)->begin(name, attributes);
            },
            [](void* self, const XML_Char*) { static_cast<Reader*>(self)->end(); });
        XML_SetCharacterDataHandler(parser_, [](void* self, const XML_Char* text, int length) {
            static_cast<Reader*>(self)->text({text, std::size_t(length)});
        });
        // Entities could make a short file long.
        XML_SetStartDoctypeDeclHandler(
            parser_, [](void* self, const XML_Char*, const XML_Char*, const XML_Char*, int) {
                static_cast<Reader*>(self)->stop("it has a document type");
            });
        const XML_Status status = XML_Parse(parser_, xml.data(), int(xml.size()), XML_TRUE);
        if (!wrong_.empty()) throw InputError("{}", wrong_);
        if (status != XML_STATUS_OK && !done_)
            throw InputError("it is not XML: line {}: {}",
                             XML_GetCurrentLineNumber(parser_),
                             XML_ErrorString(XML_GetErrorCode(parser_)));
        if (file_.rd.name.empty()) throw InputError("it is not a Ready pattern: it has no <RD>");
        return std::move(file_);
    }

  private:
    static Element made(const XML_Char* name, const XML_Char** attributes) {
        Element element{name, {}, {}, {}};
        for (; *attributes != nullptr; attributes += 2) element.attributes[attributes[0]] = attributes[1];
        return element;
    }

    void begin(const XML_Char* name, const XML_Char** attributes) {
        if (done_ || !wrong_.empty()) return;
        Element element = made(name, attributes);
        if (++count_ > kMostElements) return stop("it has too many elements");
        if (element.name == "ImageData" || element.name == "UnstructuredGrid") {
            file_.image = std::move(element);
            if (!file_.rd.name.empty()) finish();
            return;
        }
        if (open_.empty() && element.name != "RD") return;
        if (open_.size() == kDeepestElement) return stop("its elements are nested too deeply");
        open_.push_back(std::move(element));
    }

    void end() {
        if (done_ || !wrong_.empty() || open_.empty()) return;
        Element closed = std::move(open_.back());
        open_.pop_back();
        if (!open_.empty()) return open_.back().children.push_back(std::move(closed));
        file_.rd = std::move(closed);
        if (!file_.image.name.empty()) finish();
    }

    void text(std::string_view text) {
        if (done_ || !wrong_.empty() || open_.empty()) return;
        std::string& all = open_.back().text;
        all += text;
        if (all.size() > equation::kMaxText)
            stop(fmt::format(
                "its <{}> has more than {} bytes", quotable(open_.back().name), equation::kMaxText));
    }

    void finish() {
        done_ = true;
        XML_StopParser(parser_, XML_FALSE);
    }

    void stop(std::string why) {
        wrong_ = std::move(why);
        XML_StopParser(parser_, XML_FALSE);
    }

    XML_Parser parser_ = nullptr;
    ReadyFile file_;
    std::vector<Element> open_;
    std::size_t count_ = 0;
    bool done_ = false;
    std::string wrong_;
};

}  // namespace

const Element* Element::child(std::string_view wanted) const {
    const auto found = std::ranges::find(children, wanted, &Element::name);
    return found == children.end() ? nullptr : &*found;
}

std::string Element::get(const std::string& attribute, const std::string& otherwise) const {
    const auto found = attributes.find(attribute);
    return found == attributes.end() ? otherwise : found->second;
}

double Element::number(const std::string& attribute) const {
    const std::string typed = get(attribute);
    const auto value = read_real(typed);
    if (!value)
        throw InputError(
            "<{}> has {}=\"{}\", which is not a number", quotable(name), attribute, quotable(typed));
    return *value;
}

ReadyFile read_ready_file(std::string_view xml) {
    return Reader().read(xml);
}

}  // namespace stencil::import
