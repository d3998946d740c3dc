// Messages of a session to the user.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stencil {

struct Message {
    enum class Level { notice, error } level = Level::notice;
    int id = 0;
    std::string text;
    std::string folder = {};   ///< where files were written; empty: none
    std::string subject = {};  ///< for an error: a later success of this subject removes it; empty: nothing
                               ///< does
};

/// The newest messages, without immediate repetitions.
class Messages {
  public:
    void add(Message::Level level, std::string text, std::string folder = {}) {
        news_ = true;
        if (!all_.empty() && all_.back().text == text) return;
        all_.push_back({level, next_++, std::move(text), std::move(folder)});
        if (all_.size() > kMost) all_.erase(all_.begin());
    }
    void notice(std::string text) { add(Message::Level::notice, std::move(text)); }
    /// `in_place` replaces the newest message if that is an error, too, as during a drag.
    void error(std::string text, std::string subject = {}, bool in_place = false) {
        if (in_place && !all_.empty() && all_.back().level == Message::Level::error) all_.pop_back();
        add(Message::Level::error, std::move(text));
        all_.back().subject = std::move(subject);
    }
    /// Removes errors about this subject.
    void settle(std::string_view subject) {
        const auto old = std::erase_if(all_, [&](const Message& m) { return m.subject == subject; });
        news_ = news_ || old > 0;
    }
    void dismiss(int id) {
        std::erase_if(all_, [id](const Message& message) { return message.id == id; });
    }
    const std::vector<Message>& all() const { return all_; }

    /// Returns whether there was a message since the last call.
    bool take_news() { return std::exchange(news_, false); }

  private:
    static constexpr std::size_t kMost = 50;

    std::vector<Message> all_;
    int next_ = 1;
    bool news_ = false;
};

}  // namespace stencil
