// SPDX-License-Identifier: Apache-2.0
// A daemon with its door open, and clients that are not tend's: curl, a WebSocket client of node's, openssl.
#pragma once
#include <string>
#include <vector>

#include "daemon_fixture.h"

namespace web_test {

namespace json = host_test::json;

struct Answer {
  int status = 0;
  std::string head;
  std::string body;

  std::string header(const std::string& name) const;
  json::value value() const;
  std::string code() const;  // of an error
};

// What a shell command prints on its standard output.
std::string output_of(const std::string& command);
std::string quoted(const std::string& text);

class WebTest : public host_test::DaemonTest {
 protected:
  void SetUp() override;

  // tend serve, at a port that is free: what it says as JSON.
  json::object serve(std::vector<std::string> more = {});
  Answer curl(const std::vector<std::string>& arguments, const std::string& path);
  // With the token.
  Answer get(const std::string& path) { return curl({"-H", bearer()}, path); }
  Answer post(const std::string& path, const json::object& body);
  std::string bearer() const { return "Authorization: Bearer " + token_; }
  std::string origin() const { return "http://127.0.0.1:" + std::to_string(port_); }
  // Logs in with the link: "tend_PORT=…".
  std::string cookie();

  // What client.mjs saw.
  json::object client(const std::string& query, const json::array& steps, json::object options = {});
  // How the connection of a client ends that is attached, and has done the steps, when `tend WORDS` runs.
  json::value closed_by(const std::string& words, const std::string& query, json::array steps);
  json::array messages(const json::object& seen, std::string_view type);
  // A connection to the port, and nothing said yet.
  base::Fd connected() const;
  // Bytes until the other side closes, or the time is over.
  static std::string all_of(int fd, std::chrono::seconds deadline);

  std::string token_;
  std::string token_id_;
  int64_t port_ = 0;
};

}  // namespace web_test
