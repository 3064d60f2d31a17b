// SPDX-License-Identifier: Apache-2.0
// Texts with a shape of their own: what is wrong with one (nothing: it will do), and what a good one means.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "config/config.h"

namespace config {

std::optional<std::string> check_not_empty(std::string_view text);
std::optional<std::string> check_power_of_two(std::string_view number);
std::optional<std::string> check_url(std::string_view text);
// https, or http on this machine: tokens go there.
std::optional<std::string> check_api_url(std::string_view text);

// "ctrl-]" or "off".
std::optional<std::string> check_key(std::string_view text);
std::optional<char> key_byte(std::string_view text);

// Bytes in which \x03, \r, \n, \t, \e and \\ are escapes.
std::optional<std::string> check_sequence(std::string_view text);
std::string sequence_bytes(std::string_view text);

// SOURCE:TARGET or SOURCE:TARGET:ro, both absolute.
std::optional<std::string> check_mount(std::string_view text);
Mount mount_of(std::string_view text);

bool is_variable_name(std::string_view text);

// What `tend config show` prints in place of a secret, and what no secret may be set to.
constexpr std::string_view kMask = "********";
// "$NAME" only points at a secret.
bool is_reference(std::string_view text);

}  // namespace config
