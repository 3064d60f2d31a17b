// SPDX-License-Identifier: Apache-2.0
// `tend channel`: setting channels up, trying them, and how they are.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace cli {

struct ChannelAddOptions {
  std::string kind;
  std::optional<std::string> token_file = {};
  std::optional<std::string> app_token_file = {};
  std::vector<std::string> users = {};
  std::optional<std::string> url = {};
  std::optional<std::string> listen = {};
  std::optional<std::string> api_url = {};
};

struct ChannelTestOptions {
  std::optional<std::string> kind = {};
  bool json = false;
};

struct ChannelListOptions {
  bool json = false;
};

int add_channel(const ChannelAddOptions& options);
int test_channels(const ChannelTestOptions& options);
int list_channels(const ChannelListOptions& options);

}  // namespace cli
