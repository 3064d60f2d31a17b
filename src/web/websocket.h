// SPDX-License-Identifier: Apache-2.0
// A connection that has become a WebSocket, with a terminal behind it. One frame is under way at a time; the
// next one is asked for when it has gone.
#pragma once
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <memory>

#include "web/guest.h"
#include "web/target.h"
#include "web/terminal_client.h"
#include "web/tokens.h"

namespace web {

using UpgradeRequest = boost::beast::http::request<boost::beast::http::string_body>;

// As the parameters of the target say; a visitor who may only look does.
base::Result<void> attach_as_asked(TerminalClient& client, host::Context& context, const Target& target,
                                   const Visitor& visitor);

void open_websocket(House& house, const Guest& before, boost::asio::ip::tcp::socket stream,
                    UpgradeRequest request, std::unique_ptr<TerminalClient> client);
void open_websocket(House& house, const Guest& before,
                    boost::asio::ssl::stream<boost::asio::ip::tcp::socket> stream, UpgradeRequest request,
                    std::unique_ptr<TerminalClient> client);

}  // namespace web
