#include "sim/files/held_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "sim/field/field_hash.h"
#include "sim/files/npy.h"
#include "sim/text/names.h"

namespace stencil {
namespace {

constexpr std::string_view kBegin = "array-", kEnd = ".npy";

std::mutex mutex;
std::map<std::string, std::weak_ptr<const Field>>& known() {
    static std::map<std::string, std::weak_ptr<const Field>> arrays;
    return arrays;
}

}  // namespace

HeldArrays::value_type hold_array(Field field) {
    const std::string name = fmt::format(
        "{}{}x{}-{}-{}{}", kBegin, field.nx(), field.ny(), name_of(field.dtype()), field_hash(field), kEnd);
    const std::lock_guard lock(mutex);
    std::erase_if(known(), [](const auto& one) { return one.second.expired(); });
    auto array = known()[name].lock();
    if (!array) known()[name] = array = std::make_shared<const Field>(std::move(field));
    return {name, array};
}

std::shared_ptr<const Field> held_array(const std::filesystem::path& file) {
    const std::lock_guard lock(mutex);
    const auto found = known().find(file.filename().string());
    return found == known().end() ? nullptr : found->second.lock();
}

std::vector<std::string> array_names(std::string_view text) {
    std::vector<std::string> names;
    for (std::size_t at = 0; (at = text.find(kBegin, at)) != text.npos; at += kBegin.size()) {
        const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-", at);
        if (end == text.npos || !text.substr(end).starts_with(kEnd)) continue;
        std::string name(text.substr(at, end + kEnd.size() - at));
        if (!contains(names, name)) names.push_back(std::move(name));
    }
    return names;
}

HeldArrays arrays_named(std::string_view text) {
    HeldArrays arrays;
    for (const std::string& name : array_names(text))
        if (auto array = held_array(name)) arrays.emplace(name, std::move(array));
    return arrays;
}

void write_arrays_named(std::string_view text, const std::filesystem::path& folder) {
    for (const auto& [name, array] : arrays_named(text)) write_npy(folder / name, *array);
}

std::string with_arrays_beside(std::string text, const std::filesystem::path& folder) {
    for (const std::string& name : array_names(text)) {
        std::error_code failed;
        const std::string whole =
            std::filesystem::absolute(folder / name, failed).lexically_normal().string();
        const bool plain = whole.find_first_of("\"\\") == whole.npos;
        if (failed || !plain || held_array(name) || !std::filesystem::exists(whole, failed)) continue;
        for (std::size_t at = 0; (at = text.find(name, at)) != text.npos; at += name.size())
            if (at > 0 && text[at - 1] != '/') {
                text.replace(at, name.size(), whole);
                at += whole.size() - name.size();
            }
    }
    return text;
}

}  // namespace stencil
