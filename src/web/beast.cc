// SPDX-License-Identifier: Apache-2.0
// The parts of the libraries that need be compiled once.
#include <boost/asio/ssl/impl/src.hpp>
#include <boost/beast/src.hpp>
