// SPDX-License-Identifier: Apache-2.0
#include "web/origin.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <cctype>

#include "base/strings.h"

namespace web {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

}  // namespace

std::string host_of(std::string_view header) {
  std::string_view host = header;
  if (header.starts_with('[')) {
    const size_t end = header.find(']');
    if (end == std::string_view::npos) return {};
    host = header.substr(1, end - 1);
    header.remove_prefix(end + 1);
  } else {
    host = header.substr(0, header.find(':'));
    header.remove_prefix(host.size());
  }
  if (!header.empty() && (header[0] != ':' || !base::parse_number<uint16_t>(header.substr(1), 0, 65535)))
    return {};
  std::string name = lower(host);
  if (name.ends_with('.')) name.pop_back();
  return name;
}

bool is_loopback(std::string_view address) {
  boost::system::error_code wrong;
  const auto parsed = boost::asio::ip::make_address(std::string(address), wrong);
  return !wrong && parsed.is_loopback();
}

bool is_own_host(std::string_view header, std::string_view local_address,
                 std::span<const std::string> names) {
  const std::string host = host_of(header);
  if (host.empty()) return false;
  if (host == "localhost" || is_loopback(host) || host == local_address) return true;
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& each) { return lower(each) == host; });
}

bool is_own_origin(std::string_view origin, std::string_view scheme, std::string_view host_header) {
  const std::string own = std::string(scheme) + "://" + lower(host_header);
  const std::string theirs = lower(origin);
  // A browser leaves the port out where it is the scheme's own.
  const std::string port = scheme == "https" ? ":443" : ":80";
  return theirs == own || theirs + port == own || theirs == own + port;
}

}  // namespace web
