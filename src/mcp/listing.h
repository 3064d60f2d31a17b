// SPDX-License-Identifier: Apache-2.0
// pty_list: sessions, as the daemon tells them, as a flat list of PTYs with what tells them apart.
#pragma once
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace mcp {

// Those that the arguments `label`, `owner`, `agent` and `all` leave.
boost::json::array list_ptys(const boost::json::array& sessions, const boost::json::object& arguments);

}  // namespace mcp
