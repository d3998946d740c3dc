// The elements of a Ready file that matter here.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stencil::import {

struct Element {
    std::string name;
    std::map<std::string, std::string> attributes;
    std::string text;
    std::vector<Element> children;

    const Element* child(std::string_view name) const;
    /// An attribute, or `otherwise`.
    std::string get(const std::string& attribute, const std::string& otherwise = "") const;
    /// An attribute as a number; throws InputError if it is none.
    double number(const std::string& attribute) const;
};

struct ReadyFile {
    Element rd;     ///< <RD>
    Element image;  ///< <ImageData>, its attributes alone
};

/// Throws InputError for what is no file of Ready's.
ReadyFile read_ready_file(std::string_view xml);

}  // namespace stencil::import
