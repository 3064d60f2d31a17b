// SPDX-License-Identifier: Apache-2.0
#include "cli/send.h"

#include <boost/json/array.hpp>

#include "cli/access.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/report.h"
#include "wire/encoding.h"
#include "wire/params.h"

namespace cli {
namespace {

using base::Code;
using base::fail;
using base::Result;
namespace json = wire::json;

constexpr size_t kPiece = 256 << 10;    // of text in one request
constexpr size_t kMostInput = 8 << 20;  // of standard input: more than a PTY's queue takes anyway

Result<void> check_usage(const SendOptions& options) {
  if (options.text && !options.keys.empty())
    return fail(Code::invalid_param, 0, "send either TEXT or --keys");
  if (!options.text && options.keys.empty() && !options.enter)
    return fail(Code::invalid_param, 0, "what is to be sent? Give TEXT, --keys or --enter");
  return {};
}

Result<int> send_input(const SendOptions& options) {
  auto target = parse_target(options.target);
  if (!target) return fail(target);
  if (auto good = check_usage(options); !good) return fail(good);
  std::string text = options.text.value_or("");
  if (options.text == "-") {
    auto read = read_input(kMostInput);
    if (!read) return fail(read);
    text = std::move(*read);
  }
  auto client = reach_daemon();
  if (!client) return fail(client);
  size_t sent = 0;
  json::object last;
  do {
    json::object params = to_params(*target);
    const std::string_view piece = std::string_view(text).substr(sent, kPiece);
    sent += piece.size();
    // Any bytes may be sent; JSON carries only text.
    params["data"] = wire::to_base64(piece);
    params["encoding"] = "base64";
    params["enter"] = options.enter && sent == text.size();
    json::array keys;
    for (const std::string& each : options.keys) keys.emplace_back(each);
    if (!keys.empty()) params["keys"] = std::move(keys);
    auto written = client->call("pty.write", std::move(params));
    if (!written) return fail(written);
    last = std::move(written->as_object());
  } while (sent < text.size());
  return options.json ? print_json(last) : kDone;
}

}  // namespace

int send(const SendOptions& options) { return finish(send_input(options)); }

}  // namespace cli
