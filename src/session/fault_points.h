// SPDX-License-Identifier: Apache-2.0
// Fault points: places on an answer's way at which a test has the daemon killed, as a power cut would. Only
// with TEND_FAULT=NAME in the daemon's environment; a daemon that takes its place does not have it.
#pragma once
#include <array>
#include <string_view>

namespace session {

enum class FaultPoint { after_claim, before_intent, after_intent, after_write, before_outcome };

inline constexpr std::array<std::string_view, 5> kFaultPoints{"after_claim", "before_intent", "after_intent",
                                                              "after_write", "before_outcome"};

// Parts of a PTY's service that a test has stall, with TEND_FAULT=stall_reader and so on.
enum class Stall { reader, writer, probe, injector };

inline constexpr std::array<std::string_view, 4> kStalls{"stall_reader", "stall_writer", "stall_probe",
                                                         "stall_injector"};

bool stalls(Stall part);

// Ends the process with SIGKILL if this is the point that TEND_FAULT names.
void reach(FaultPoint point);

}  // namespace session
