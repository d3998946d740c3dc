#include "sim/text/xml.h"

#include <expat.h>
#include <fmt/format.h>

#include <limits>
#include <memory>
#include <new>

namespace stencil {

XmlHandler::End XmlHandler::parse(std::string_view xml, bool whole) {
    if (xml.size() > std::size_t(std::numeric_limits<int>::max())) return {"its text is too long", ""};
    const std::unique_ptr<XML_ParserStruct, void (*)(XML_Parser)> parser(XML_ParserCreate(nullptr),
                                                                         XML_ParserFree);
    if (!parser) throw std::bad_alloc();
    parser_ = parser.get();
    XML_SetUserData(parser.get(), this);
    XML_SetElementHandler(
        parser.get(),
        [](void* data, const XML_Char* name, const XML_Char** given) {
            auto* self = static_cast<XmlHandler*>(data);
            XmlAttributes attributes;
            for (; *given != nullptr; given += 2) attributes[given[0]] = given[1];
            if (!self->stops_) self->begin(name, std::move(attributes));
        },
        [](void* data, const XML_Char* name) {
            if (auto* self = static_cast<XmlHandler*>(data); !self->stops_) self->end(name);
        });
    XML_SetCharacterDataHandler(parser.get(), [](void* data, const XML_Char* text, int length) {
        if (auto* self = static_cast<XmlHandler*>(data); !self->stops_)
            self->text({text, std::size_t(length)});
    });
    // Entities could expand a short file to a huge text.
    XML_SetStartDoctypeDeclHandler(parser.get(),
                                   [](void* data, const XML_Char*, const XML_Char*, const XML_Char*, int) {
                                       static_cast<XmlHandler*>(data)->stop("it has a document type");
                                   });
    const XML_Status status = XML_Parse(parser.get(), xml.data(), int(xml.size()), whole);
    End end{why_, ""};
    if (status != XML_STATUS_OK && !stops_)
        end.not_xml = fmt::format("line {}: {}",
                                  XML_GetCurrentLineNumber(parser.get()),
                                  XML_ErrorString(XML_GetErrorCode(parser.get())));
    return end;
}

void XmlHandler::stop(std::string why) {
    stops_ = true;
    why_ = std::move(why);
    XML_StopParser(static_cast<XML_Parser>(parser_), XML_FALSE);
}

}  // namespace stencil
