// SPDX-License-Identifier: Apache-2.0
// What Asio has for TLS that is not a template, compiled once; the rest of Asio is in the room `event`.
#include <boost/asio/ssl/impl/src.hpp>
