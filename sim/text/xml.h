// XML by Expat.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace stencil {

using XmlAttributes = std::map<std::string, std::string, std::less<>>;

/// Handles the elements of a text in their order.
class XmlHandler {
  public:
    struct End {
        std::string stopped;  ///< the reason given to stop()
        std::string not_xml;  ///< "line N: ..." where the text is no XML
    };
    /// Reads at most 2^31 - 1 bytes. Something else may follow a text that is not `whole`.
    End parse(std::string_view xml, bool whole);

  protected:
    virtual ~XmlHandler() = default;
    virtual void begin(std::string name, XmlAttributes attributes) = 0;
    virtual void end(std::string_view name) = 0;
    virtual void text(std::string_view text) = 0;
    /// Ends parse(): no other function is called any more.
    void stop(std::string why = {});

  private:
    void* parser_ = nullptr;
    bool stops_ = false;
    std::string why_;
};

}  // namespace stencil
