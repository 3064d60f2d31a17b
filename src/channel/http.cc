// SPDX-License-Identifier: Apache-2.0
#include "channel/http.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <curl/curl.h>
#include <fmt/format.h>
#include <openssl/ssl.h>
#include <utility>

#include "base/strings.h"

namespace channel {
namespace {

using base::Code;
using std::chrono::milliseconds;

constexpr int64_t kMostRetryAfter = 86'400;  // seconds

long to_ms(base::Duration time) { return static_cast<long>(std::chrono::ceil<milliseconds>(time).count()); }

bool is_loopback(std::string_view host) {
  return host.starts_with("127.") || host.starts_with("localhost") || host.starts_with("[::1]");
}

struct Library {
  Library() { ::curl_global_init(CURL_GLOBAL_DEFAULT); }
};

}  // namespace

std::string host_of(std::string_view url) {
  const size_t scheme = url.find("://");
  if (scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find_first_of("/?#"));
  if (const size_t at = url.rfind('@'); at != std::string_view::npos) url.remove_prefix(at + 1);
  return base::printable(url, 200);
}

struct Http::Transfer {
  Http* owner = nullptr;
  uint64_t id = 0;
  HttpRequest request;
  Done done;
  CURL* easy = ::curl_easy_init();
  curl_slist* headers = nullptr;
  HttpResponse response;
  bool too_large = false;

  Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  ~Transfer() {
    ::curl_easy_cleanup(easy);
    ::curl_slist_free_all(headers);
  }

  static size_t on_body(char* bytes, size_t size, size_t count, void* self) {
    auto* transfer = static_cast<Transfer*>(self);
    const size_t length = size * count;
    if (transfer->response.body.size() + length > kMostBody) {
      transfer->too_large = true;
      return 0;
    }
    transfer->response.body.append(bytes, length);
    return length;
  }

  // The usual authorities are in it already.
  static CURLcode on_tls(CURL* /*easy*/, void* context, void* self) {
    const std::string& file = *static_cast<Http*>(self)->ca_file_;
    return ::SSL_CTX_load_verify_file(static_cast<SSL_CTX*>(context), file.c_str()) == 1
               ? CURLE_OK
               : CURLE_SSL_CACERT_BADFILE;
  }

  static size_t on_header(char* bytes, size_t size, size_t count, void* self) {
    const std::string_view line(bytes, size * count);
    constexpr std::string_view kName = "retry-after:";
    const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; };
    if (line.size() > kName.size() &&
        std::equal(kName.begin(), kName.end(), line.begin(), [&](char b, char a) { return same(a, b); })) {
      const auto seconds =
          base::parse_number<int64_t>(base::trim(line.substr(kName.size())), 0, kMostRetryAfter);
      if (seconds) static_cast<Transfer*>(self)->response.retry_after = std::chrono::seconds(*seconds);
    }
    return line.size();
  }
};

struct Http::Multi {
  CURLM* handle = nullptr;

  static int on_socket(CURL* /*easy*/, curl_socket_t socket, int what, void* self, void* /*unused*/) {
    static_cast<Http*>(self)->watch(
        socket, {.input = (what & CURL_POLL_IN) != 0, .output = (what & CURL_POLL_OUT) != 0},
        what == CURL_POLL_REMOVE);
    return 0;
  }
  static int on_timer(CURLM* /*multi*/, long milliseconds, void* self) {
    static_cast<Http*>(self)->set_timer(milliseconds);
    return 0;
  }
};

Http::Http(event::Loop& loop, base::Duration timeout, std::optional<std::string> ca_file)
    : loop_(loop),
      timeout_(timeout),
      ca_file_(std::move(ca_file)),
      multi_(std::make_unique<Multi>()),
      timer_(loop, [this] { act(CURL_SOCKET_TIMEOUT, {}); }) {
  static const Library kLibrary;
  multi_->handle = ::curl_multi_init();
  ::curl_multi_setopt(multi_->handle, CURLMOPT_SOCKETFUNCTION, Multi::on_socket);
  ::curl_multi_setopt(multi_->handle, CURLMOPT_SOCKETDATA, this);
  ::curl_multi_setopt(multi_->handle, CURLMOPT_TIMERFUNCTION, Multi::on_timer);
  ::curl_multi_setopt(multi_->handle, CURLMOPT_TIMERDATA, this);
}

Http::~Http() {
  for (const auto& [id, transfer] : transfers_) ::curl_multi_remove_handle(multi_->handle, transfer->easy);
  transfers_.clear();
  ::curl_multi_cleanup(multi_->handle);
}

uint64_t Http::send(HttpRequest request, Done done) {
  auto transfer = std::make_unique<Transfer>();
  transfer->owner = this;
  transfer->id = ++last_id_;
  transfer->request = std::move(request);
  transfer->done = std::move(done);
  const HttpRequest& asked = transfer->request;
  CURL* easy = transfer->easy;
  for (const std::string& each : asked.headers)
    transfer->headers = ::curl_slist_append(transfer->headers, each.c_str());
  // Without it curl waits a second for a "100 Continue" that small servers do not send.
  transfer->headers = ::curl_slist_append(transfer->headers, "Expect:");
  ::curl_easy_setopt(easy, CURLOPT_URL, asked.url.c_str());
  ::curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, asked.method.c_str());
  if (asked.method != "GET") {
    ::curl_easy_setopt(easy, CURLOPT_POSTFIELDS, asked.body.data());
    ::curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(asked.body.size()));
  }
  ::curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer->headers);
  ::curl_easy_setopt(easy, CURLOPT_USERAGENT, "tend");
  ::curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  ::curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  ::curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  ::curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  ::curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, to_ms(timeout_));
  ::curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, to_ms(timeout_ + asked.more_time));
  ::curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, Transfer::on_body);
  ::curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer.get());
  ::curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, Transfer::on_header);
  ::curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer.get());
  ::curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer.get());
  // As OpenSSL itself has it; libcurl would not look.
  if (const char* file = std::getenv("SSL_CERT_FILE")) ::curl_easy_setopt(easy, CURLOPT_CAINFO, file);
  if (const char* folder = std::getenv("SSL_CERT_DIR")) ::curl_easy_setopt(easy, CURLOPT_CAPATH, folder);
  if (ca_file_) {
    ::curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, Transfer::on_tls);
    ::curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, this);
  }
  // A server on this machine is not behind a proxy.
  if (is_loopback(host_of(asked.url))) ::curl_easy_setopt(easy, CURLOPT_PROXY, "");
  const uint64_t id = transfer->id;
  transfers_[id] = std::move(transfer);
  ::curl_multi_add_handle(multi_->handle, easy);
  return id;
}

void Http::cancel(uint64_t id) {
  const auto found = transfers_.find(id);
  if (found == transfers_.end()) return;
  ::curl_multi_remove_handle(multi_->handle, found->second->easy);
  transfers_.erase(found);
}

void Http::watch(int socket, event::Ready wanted, bool remove) {
  if (remove) {
    watches_.erase(socket);
    return;
  }
  auto& found = watches_[socket];
  if (!found)
    found = std::make_unique<event::Watch>(loop_, socket,
                                           [this, socket](event::Ready ready) { act(socket, ready); });
  found->want(wanted);
}

void Http::set_timer(long milliseconds_from_now) {
  if (milliseconds_from_now < 0) return timer_.cancel();
  timer_.set_after(milliseconds(milliseconds_from_now));
}

void Http::act(int socket, event::Ready ready) {
  int running = 0;
  const int what = (ready.input ? CURL_CSELECT_IN : 0) | (ready.output ? CURL_CSELECT_OUT : 0);
  ::curl_multi_socket_action(multi_->handle, socket, what, &running);
  take_finished();
}

void Http::take_finished() {
  const std::weak_ptr<int> life = life_;
  int left = 0;
  while (!life.expired()) {
    const CURLMsg* message = ::curl_multi_info_read(multi_->handle, &left);
    if (message == nullptr) return;
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    CURL* easy = message->easy_handle;
    char* pointer = nullptr;
    ::curl_easy_getinfo(easy, CURLINFO_PRIVATE, &pointer);
    const uint64_t id = reinterpret_cast<Transfer*>(pointer)->id;
    long status = 0;
    ::curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    ::curl_multi_remove_handle(multi_->handle, easy);
    auto node = transfers_.extract(id);
    const std::unique_ptr<Transfer> transfer = std::move(node.mapped());
    const std::string host = host_of(transfer->request.url);
    if (code == CURLE_OK) {
      transfer->response.status = static_cast<int>(status);
      transfer->done(std::move(transfer->response));
    } else if (transfer->too_large) {
      transfer->done(base::fail(Code::message_too_large, 0, fmt::format("{} sends more than it may", host)));
    } else {
      transfer->done(base::fail(code == CURLE_OPERATION_TIMEDOUT ? Code::pty_timeout : Code::internal, 0,
                                fmt::format("{}: {}", host, ::curl_easy_strerror(code))));
    }
  }
}

}  // namespace channel
