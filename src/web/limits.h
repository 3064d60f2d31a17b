// SPDX-License-Identifier: Apache-2.0
// What the server bears, of anybody.
#pragma once
#include <chrono>
#include <cstddef>

namespace web {

constexpr size_t kMostHeader = 16 << 10;
constexpr size_t kMostBody = 1 << 20;
constexpr size_t kMostFrame = 64 << 10;  // of a WebSocket, in
constexpr size_t kMostGuests = 256;      // connections in all,
constexpr size_t kMostOfAddress = 32;    // and of one address
constexpr std::chrono::seconds kHeaderTime{10};
constexpr std::chrono::seconds kBodyTime{30};
constexpr std::chrono::seconds kAnswerTime{30};  // for reading what it was answered
constexpr std::chrono::seconds kIdleTime{120};
constexpr std::chrono::seconds kHeartbeat{15};    // of a stream of events
constexpr size_t kMostFailures = 10;              // of logins, of one address,
constexpr std::chrono::seconds kFailureTime{60};  // within this time
constexpr size_t kMostTokens = 32;
constexpr size_t kMostCookies = 16;        // of a token
constexpr size_t kPiece = 64 << 10;        // of output, in one frame
constexpr size_t kSeenWindow = 256 << 10;  // of output beyond what a client says it has shown
// Further behind than these parts of the journal a client gets a snapshot. The program waits for a moment
// when it is behind by half of it: this is for those whom it did not wait for.
constexpr size_t kBehind = 3;
constexpr size_t kBehindOf = 4;
constexpr size_t kMostControl = 1 << 20;   // of messages that wait for a client
constexpr size_t kMostHeldKeys = 1 << 20;  // of what a program does not take

}  // namespace web
