#include "app/window/display/gallery_texture.h"

#include <glad/gl.h>

namespace stencil {

void GalleryTexture::take(const GalleryPictures& pictures) {
    constexpr int kSide = GalleryPicture::kSide;
    taken_.resize(pictures.size());
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        const auto& picture = pictures[i];
        if (picture == taken_[i] || !picture || picture->pixels.empty()) continue;
        if (texture_.name() == 0) {
            texture_ = make_texture(kColumns * kSide, rows(pictures.size()) * kSide, GL_RGB8);
            glTextureParameteri(texture_.name(), GL_TEXTURE_MAG_FILTER, GL_LINEAR);
        }
        glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
        glTextureSubImage2D(texture_.name(),
                            0,
                            int(i) % kColumns * kSide,
                            int(i) / kColumns * kSide,
                            picture->nx,
                            picture->ny,
                            GL_RGB,
                            GL_UNSIGNED_BYTE,
                            picture->pixels.data());
        glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
        taken_[i] = picture;
    }
}

bool ThumbnailTextures::take(UiState& ui) {
    const auto show =
        [](std::unique_ptr<GalleryTexture>& texture, Thumbnails& shown, const GalleryPictures& read) {
            if (read == shown.pictures) return false;
            if (!texture) texture = std::make_unique<GalleryTexture>();
            texture->take(shown.pictures = read);
            shown.texture = texture->name();
            return true;
        };
    if (ui.gallery.wanted && ui.gallery.pictures.empty() && !gallery_.busy())
        gallery_.start([](const std::stop_token&) { return gallery_pictures(); });
    const auto read = gallery_.poll();
    const bool rows_news = read && show(rows_, ui.gallery, *read);
    return show(sessions_, ui.sessions, ui.panel.sessions.cards.result) || rows_news;
}

}  // namespace stencil
