// SPDX-License-Identifier: Apache-2.0
// A home with sessions in it, for the commands that look at them.
#pragma once
#include <string>
#include <vector>

#include "support/json.h"
#include "tend_home.h"

namespace cli {

class SessionTest : public TendTest {
 protected:
  // A session in the background, with this shell script as its program.
  void start(const std::string& name, const std::string& script) const {
    const Said said = says("run -d -n " + name + " -- sh -c '" + script + "'");
    ASSERT_EQ(0, said.code) << said.err;
    ASSERT_EQ(name + "\n", said.out);
  }
  // One that waits for keys: what is typed comes back as lines.
  void start_cat(const std::string& name) const {
    start(name, "stty -echo; echo ready; exec cat");
    ASSERT_EQ(0, says("wait " + name + " --until text=ready --timeout 60000").code);
  }
  bool ends(const std::string& target) const {
    return says("wait " + target + " --until exited --timeout 60000").code == 0;
  }
  support::Json json_of(const std::string& arguments) const {
    const Said said = says(arguments);
    EXPECT_EQ(0, said.code) << arguments << "\n" << said.err;
    return support::Json::parse(said.out.empty() ? "null" : said.out);
  }
};

}  // namespace cli
