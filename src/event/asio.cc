// SPDX-License-Identifier: Apache-2.0
// The whole of Asio that is not a template, compiled once (BOOST_ASIO_SEPARATE_COMPILATION).
#include <boost/asio/impl/src.hpp>
