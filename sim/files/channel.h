// Channels of pictures.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace stencil {

enum class Channel : std::uint8_t {
    grey,  ///< 0.299 R + 0.587 G + 0.114 B
    mean,  ///< (R + G + B)/3
    red,
    green,
    blue,
    alpha,  ///< 1 if a picture has no alpha
};

struct ChannelRow {
    std::string_view name;
    Channel channel;
};
inline constexpr std::array kChannels{ChannelRow{"grey", Channel::grey},
                                      ChannelRow{"mean", Channel::mean},
                                      ChannelRow{"red", Channel::red},
                                      ChannelRow{"green", Channel::green},
                                      ChannelRow{"blue", Channel::blue},
                                      ChannelRow{"alpha", Channel::alpha}};

}  // namespace stencil
