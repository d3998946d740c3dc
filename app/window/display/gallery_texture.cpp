#include "app/window/display/gallery_texture.h"

#include <glad/gl.h>

namespace stencil {

void GalleryTexture::take(const Gallery::Pictures& pictures) {
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
        [](std::unique_ptr<GalleryTexture>& texture, Thumbnails& shown, const Gallery::Pictures& made) {
            if (made == shown.pictures) return false;
            if (!texture) texture = std::make_unique<GalleryTexture>();
            texture->take(shown.pictures = made);
            shown.texture = texture->name();
            return true;
        };
    if (ui.gallery.wanted > 0) {
        if (!gallery_) gallery_ = std::make_unique<Gallery>(wake_);
        gallery_->want(ui.gallery.wanted);
    }
    const RecentPictures& recent = ui.panel.recent.pictures.result;
    const bool ready_news = gallery_ && show(ready_, ui.gallery, gallery_->pictures());
    const bool recent_news = show(recent_, ui.recent, recent.pictures);
    if (recent_news) ui.recent.paths = recent.paths;
    return ready_news || recent_news;
}

}  // namespace stencil
