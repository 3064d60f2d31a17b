// SPDX-License-Identifier: Apache-2.0
#include "web/service.h"

#include <boost/json/array.hpp>
#include <fmt/format.h>
#include <utility>

#include "base/log.h"
#include "daemon/context.h"
#include "web/door.h"
#include "web/limits.h"
#include "web/listener.h"
#include "web/origin.h"
#include "web/state_file.h"

namespace web {
namespace {

using base::Code;
using base::Result;
using base::log::Level;
namespace json = boost::json;

// For browsers to answer that they have heard of the end.
constexpr std::chrono::milliseconds kFarewell{500};

std::string in_url(const std::string& host) {
  return host.find(':') != std::string::npos ? "[" + host + "]" : host;
}

class Service final : public host::WebService {
 public:
  Service(host::Context& context, std::string folder, std::function<void()> changed)
      : context_(context),
        folder_(std::move(folder)),
        changed_(std::move(changed)),
        door_(
            context, book_, [this](Door::Saved saved) { save(std::move(saved)); },
            [this] { return listener_.guests(); }),
        listener_(context.loop, door_),
        farewell_time_(context.loop, [this] { left(); }) {}

  void resume() override {
    auto loaded = load_state(path());
    if (!loaded) return complain(loaded.error());
    if (!*loaded || !(*loaded)->open) return;
    if (auto good = book_.load((*loaded)->tokens); !good) return complain(good.error());
    if (auto opened = open((*loaded)->how); !opened) complain(opened.error());
  }

  bool is_open() const override { return listener_.is_open(); }

  json::value status() const override {
    if (!is_open()) return nullptr;
    return json::object{
        {"url", url()},
        {"host", how_.host},
        {"port", listener_.port()},
        {"tls", tls_.context != nullptr},
        {"fingerprint", tls_.fingerprint.empty() ? json::value(nullptr) : json::value(tls_.fingerprint)},
        {"connections", listener_.guests()},
        {"tokens", book_.describe().size()}};
  }

  void start(const host::WebRequest& request, Done done) override {
    if (is_open() && ((!request.host.empty() && request.host != how_.host) ||
                      (request.port != 0 && request.port != listener_.port())))
      return done(base::fail(Code::invalid_param, 0,
                             fmt::format("it is open at {} already; tend serve --stop closes that", url())));
    if (!is_open()) {
      if (auto opened = open(request); !opened) return done(base::fail(opened));
    }
    const auto issued = book_.issue(request.read_only ? Access::read_only : Access::full, store::wall_now());
    save([this, done = std::move(done), issued,
          access = request.read_only ? Access::read_only : Access::full](Result<void> saved) {
      if (!saved) return done(base::fail(saved));
      json::value about = status();
      if (!about.is_object())
        return done(base::fail(Code::internal, 0, "the server has been closed meanwhile"));
      json::object result = about.as_object();
      result["token"] = issued.secret;
      result["token_id"] = issued.id;
      result["access"] = access_name(access);
      result["link"] = url() + "?token=" + issued.secret;
      done(std::move(result));
    });
  }

  void stop(Done done) override {
    const bool was_open = is_open();
    listener_.close("the server was closed");
    book_.clear();
    tls_ = {};
    problem_.clear();
    changed_();
    save([done = std::move(done), was_open](Result<void> saved) {
      if (!saved) return done(base::fail(saved));
      done(json::object{{"stopped", was_open}});
    });
  }

  void leave(std::function<void()> done) override {
    farewell_ = std::move(done);
    farewell_time_.set_after(kFarewell);
    listener_.close("the daemon ends", [this] { left(); });
  }

  json::array tokens() const override { return book_.describe(); }

  void revoke(const std::string& id, Done done) override {
    if (!book_.revoke(id))
      return done(
          base::fail(Code::invalid_param, 0, "there is no such token; tend serve --tokens lists them"));
    listener_.dismiss(id);
    save([done = std::move(done), id](Result<void> saved) {
      if (!saved) return done(base::fail(saved));
      done(json::object{{"revoked", id}});
    });
  }

  std::vector<std::string> degraded() const override {
    std::vector<std::string> all;
    if (!problem_.empty()) all.push_back("web: " + problem_);
    if (listener_.out_of_descriptors()) all.emplace_back("web: no descriptors are left for browsers");
    return all;
  }

 private:
  void left() {
    farewell_time_.cancel();
    if (farewell_) std::exchange(farewell_, {})();
  }

  std::string path() const { return folder_ + "/web.json"; }

  std::string url() const {
    // What listens everywhere is reached by a name of one's own.
    const bool everywhere = how_.host == "0.0.0.0" || how_.host == "::";
    const std::string host = !how_.names.empty() ? how_.names.front() : everywhere ? "localhost" : how_.host;
    return fmt::format("{}://{}:{}/", tls_.context ? "https" : "http", in_url(host), listener_.port());
  }

  void complain(const base::Error& error) {
    problem_ = error.message();
    base::log::say(Level::error, "web: {}", problem_);
  }

  Result<void> open(host::WebRequest request) {
    if (request.host.empty() || request.host == "localhost") request.host = "127.0.0.1";
    auto tls = tls_for(request);
    if (!tls) return base::fail(tls);
    if (auto opened = listener_.open(request.host, request.port, *tls); !opened) return opened;
    tls_ = *tls;
    how_ = std::move(request);
    how_.port = listener_.port();
    door_.set({.port = how_.port, .secure = tls_.context != nullptr, .names = how_.names});
    problem_.clear();
    changed_();
    return {};
  }

  Result<Tls> tls_for(const host::WebRequest& request) const {
    if (request.tls_cert && request.tls_key) return load_tls(*request.tls_cert, *request.tls_key);
    if (request.tls_cert || request.tls_key)
      return base::fail(Code::invalid_param, 0, "a certificate and its key come together");
    if (request.insecure || is_loopback(request.host)) return Tls{};
    const std::string certificate = folder_ + "/web.cert.pem";
    const std::string key = folder_ + "/web.key.pem";
    if (auto made = make_certificate(certificate, key, request.host); !made) return base::fail(made);
    return load_tls(certificate, key);
  }

  // Beside the loop: the disk may take its time.
  void save(Door::Saved done) {
    const State state{.open = is_open(), .how = how_, .tokens = book_.save()};
    context_.worker.run([path = path(), text = to_text(state), &loop = context_.loop,
                         alive = std::weak_ptr(alive_), done = std::move(done)]() mutable {
      auto saved = save_text(path, text);
      loop.post([alive, done = std::move(done), saved = std::move(saved)] {
        if (!alive.expired()) done(saved);
      });
    });
  }

  host::Context& context_;
  std::string folder_;
  std::function<void()> changed_;
  TokenBook book_;
  Door door_;
  Listener listener_;
  host::WebRequest how_;
  Tls tls_;
  std::string problem_;
  std::function<void()> farewell_;
  event::Timer farewell_time_;
  std::shared_ptr<int> alive_ = std::make_shared<int>();
};

}  // namespace

std::unique_ptr<host::WebService> make_service(host::Context& context, const std::string& folder,
                                               std::function<void()> changed) {
  return std::make_unique<Service>(context, folder, std::move(changed));
}

}  // namespace web
