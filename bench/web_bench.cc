// SPDX-License-Identifier: Apache-2.0
// web_bench: output of a program to a browser over a WebSocket, beside the same program in a terminal that is
// attached and in a bare one, and a server that does nothing but send as many bytes; and plain requests, by
// wrk.
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/json.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "measure.h"

namespace {

namespace beast = boost::beast;
namespace json = boost::json;
namespace fs = std::filesystem;
using bench::now;
using tcp = boost::asio::ip::tcp;
using Socket = beast::websocket::stream<tcp::socket>;

constexpr size_t kMuch = 64 << 20;
constexpr int kTurns = 5;

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  char buffer[4096];
  for (size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  ::pclose(pipe);
  return text;
}

struct Speed {
  double passed = 0;    // MB/s of what the program wrote
  double received = 0;  // of what came here: a browser that is behind gets the screen instead
};

void connect(Socket& socket, uint16_t port) {
  socket.next_layer().connect({boost::asio::ip::address_v4::loopback(), port});
  socket.next_layer().set_option(tcp::no_delay(true));
}

// Reads until the text has come at the end of a frame.
size_t read_until(Socket& socket, std::string_view text) {
  beast::flat_buffer buffer;
  size_t count = 0;
  std::string tail;
  while (tail.find(text) == std::string::npos) {
    buffer.clear();
    const size_t size = socket.read(buffer);
    if (!socket.got_binary()) continue;
    count += size;
    tail = tail.substr(tail.size() - std::min(tail.size(), text.size()));
    tail.append(static_cast<const char*>(buffer.data().data()), size);
  }
  return count;
}

// A program that waits for a line and then writes the file; raw, because the kernel takes longer for turning
// newlines into two characters than all others for passing them on.
std::string flood(const std::string& file) {
  return fmt::format(
      "bash -c 'stty raw -echo; echo ready; read -r; cat {}; echo the-end-of-\"\"it; sleep 60'", file);
}

std::string start(const std::string& tend, const std::string& file, const std::string& name) {
  const std::string line = fmt::format("{} run -d -n {} -- {} > /dev/null", tend, name, flood(file));
  return std::system(line.c_str()) == 0 ? name : std::string();
}

double speed_since(double begin) { return static_cast<double>(kMuch) / 1e6 / (now() - begin); }

Speed through_tend(const std::string& tend, uint16_t port, const std::string& token,
                   const std::string& name) {
  boost::asio::io_context context;
  Socket socket(context);
  connect(socket, port);
  socket.set_option(beast::websocket::stream_base::decorator([&](beast::websocket::request_type& request) {
    request.set(beast::http::field::authorization, "Bearer " + token);
  }));
  socket.handshake(fmt::format("127.0.0.1:{}", port), fmt::format("/ws?session={}", name));
  read_until(socket, "ready");
  const double begin = now();
  socket.binary(true);
  socket.write(boost::asio::buffer("\n", 1));
  const size_t count = read_until(socket, "the-end-of-it");
  const double passed = speed_since(begin);
  if (std::system(fmt::format("{} kill --force {} > /dev/null", tend, name).c_str()) != 0) return {};
  return {passed, passed * static_cast<double>(count) / static_cast<double>(kMuch)};
}

// The same in a terminal: its own, or one that is attached.
double through_terminal(const std::string& command) {
  bench::OuterTerminal terminal("exec " + command);
  if (!terminal.wait_for("ready")) return 0;
  const double begin = now();
  terminal.type("\n");
  return terminal.wait_for("the-end-of-it") ? speed_since(begin) : 0;
}

double through_plain_server() {
  boost::asio::io_context context;
  tcp::acceptor acceptor(context, {boost::asio::ip::address_v4::loopback(), 0});
  std::thread server([&] {
    Socket socket(acceptor.accept());
    socket.accept();
    socket.binary(true);
    const std::string frame(64 << 10, 'x');
    for (size_t sent = 0; sent < kMuch; sent += frame.size()) socket.write(boost::asio::buffer(frame));
    socket.write(boost::asio::buffer(std::string("the-end-of-it")));
    beast::flat_buffer last;
    beast::error_code ended;
    socket.read(last, ended);
  });
  Socket socket(context);
  connect(socket, acceptor.local_endpoint().port());
  const double begin = now();
  socket.handshake("127.0.0.1", "/");
  read_until(socket, "the-end-of-it");
  const double speed = speed_since(begin);
  beast::error_code ignored;
  socket.close(beast::websocket::close_code::normal, ignored);
  server.join();
  return speed;
}

}  // namespace

int main(int, char** argv) {
  const std::string tend = (fs::absolute(argv[0]).parent_path().parent_path() / "tend").string();
  std::string folder = (fs::temp_directory_path() / "tend-bench-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return 1;
  ::setenv("TEND_HOME", folder.c_str(), 1);
  const std::string file = folder + "/lines";
  {
    std::ofstream lines(file);
    for (size_t size = 0; size < kMuch; size += 64) lines << std::string(62, 'x') << "\r\n";
  }
  const json::value serving = json::parse(output_of(tend + " serve --port 0 --json"));
  const auto port = serving.at("port").to_number<uint16_t>();
  const std::string token(serving.at("token").as_string());
  std::vector<double> passed, received, attached, bare, plain;
  for (int turn = 0; turn < kTurns; turn++) {
    const Speed speed = through_tend(tend, port, token, start(tend, file, fmt::format("browser{}", turn)));
    passed.push_back(speed.passed);
    received.push_back(speed.received);
    attached.push_back(
        through_terminal(tend + " attach " + start(tend, file, fmt::format("terminal{}", turn))));
    bare.push_back(through_terminal(flood(file)));
    plain.push_back(through_plain_server());
  }
  std::printf("64 MiB of output, MB/s: a browser at it %.0f (%.0f came there), tend attach %.0f;\n",
              bench::median(passed), bench::median(received), bench::median(attached));
  std::printf("the program in a bare terminal %.0f; the bytes alone from a plain server %.0f\n",
              bench::median(bare), bench::median(plain));
  if (bench::is_installed("wrk")) {
    const std::string wrk =
        fmt::format("wrk -t1 -c16 -d3s -H 'Authorization: Bearer {}' http://127.0.0.1:{}", token, port);
    for (const char* path : {"/healthz", "/page.js", "/api/sessions"})
      std::printf("wrk %s\n%s", path,
                  output_of(wrk + path + " | grep -E 'Latency|Requests/sec|Non-2xx'").c_str());
  }
  const int stopped = std::system((tend + " daemon stop --kill > /dev/null").c_str());
  fs::remove_all(folder);
  return stopped == 0 ? 0 : 1;
}
