// SPDX-License-Identifier: Apache-2.0
#include "web/state_file.h"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <cstdio>
#include <unistd.h>

#include "base/fd.h"
#include "store/private_file.h"
#include "wire/params.h"

namespace web {
namespace {

using base::Code;
using base::fail;
using base::Result;
namespace json = boost::json;

constexpr int kVersion = 1;

json::value or_null(const std::optional<std::string>& text) {
  return text ? json::value(*text) : json::value(nullptr);
}

}  // namespace

Result<std::optional<State>> load_state(const std::string& path) {
  auto there = store::is_private_file(path);
  if (!there) return fail(there);
  if (!*there) return std::optional<State>();
  auto text = store::read_private_file(path);
  if (!text) return fail(text);
  boost::system::error_code wrong;
  const json::value saved = json::parse(*text, wrong);
  if (wrong || !saved.is_object() || wire::integer(saved.get_object(), "version") != kVersion)
    return fail(Code::internal, 0, path + " cannot be read; remove it, and open the server again");
  const json::object& about = saved.get_object();
  State state{.open = wire::flag(about, "open"),
              .how = {.host = wire::text(about, "host").value_or(""),
                      .port = static_cast<uint16_t>(wire::integer(about, "port").value_or(0)),
                      .tls_cert = wire::text(about, "tls_cert"),
                      .tls_key = wire::text(about, "tls_key"),
                      .insecure = wire::flag(about, "insecure"),
                      .names = wire::texts(about, "names")},
              .tokens = json::array()};
  if (const json::value* tokens = about.if_contains("tokens")) state.tokens = *tokens;
  return std::optional(std::move(state));
}

std::string to_text(const State& state) {
  json::array names;
  for (const std::string& each : state.how.names) names.emplace_back(each);
  return json::serialize(json::object{{"version", kVersion},
                                      {"open", state.open},
                                      {"host", state.how.host},
                                      {"port", state.how.port},
                                      {"tls_cert", or_null(state.how.tls_cert)},
                                      {"tls_key", or_null(state.how.tls_key)},
                                      {"insecure", state.how.insecure},
                                      {"names", std::move(names)},
                                      {"tokens", state.tokens}}) +
         "\n";
}

Result<void> save_text(const std::string& path, const std::string& text) {
  const std::string fresh = path + ".new";
  ::unlink(fresh.c_str());
  auto file = store::make_private_file(fresh);
  if (!file) return fail(file);
  if (auto written = base::write_all(file->get(), text); !written) return written;
  if (auto synced = store::sync_file(file->get(), fresh); !synced) return synced;
  if (::rename(fresh.c_str(), path.c_str()) != 0) return fail(Code::internal, errno, "cannot write " + path);
  return store::sync_folder_of(path);
}

}  // namespace web
