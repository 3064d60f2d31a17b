// SPDX-License-Identifier: Apache-2.0
// The head of an HTTP request as the parts that decide about it see it.
#pragma once
#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/message.hpp>
#include <optional>

#include "web/request.h"

namespace web {

using HttpHead = boost::beast::http::request_header<boost::beast::http::fields>;

// Without who asks, and without the body. Nothing where it could be read in two ways: a target that is none,
// no host or two of them, two origins.
std::optional<Request> request_in(const HttpHead& head);

}  // namespace web
