// SPDX-License-Identifier: Apache-2.0
// Whether a request was meant for this server. A page of somebody else's can make a browser send requests
// here, under a name of its own that leads here (DNS rebinding) or as a visitor from another site; neither
// passes.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace web {

// "name:port", "[::1]:port", without the port; empty for what is none.
std::string host_of(std::string_view header);

// Names that nobody else can lead here: localhost, loopback addresses, the address at which the request came
// in, and the names that the user has given. The port does not count: a tunnel may have another.
bool is_own_host(std::string_view header, std::string_view local_address, std::span<const std::string> names);

// An origin is this server's if it has the same scheme, name and port as the request itself.
bool is_own_origin(std::string_view origin, std::string_view scheme, std::string_view host_header);

bool is_loopback(std::string_view address);

}  // namespace web
