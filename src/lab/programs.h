// SPDX-License-Identifier: Apache-2.0
// The parts that this program plays itself, where a shell script is not exact enough. Called by a hidden
// command; each is told where its slip is (slip.h).
//
//   silent SLIP GATE MS      writes nothing: stamps the time and waits for the gate, works for so long,
//   stamps the
//                            time again, and reads a line
//   flood SLIP BYTES RATE    writes lines, so many bytes in all and per second (0: as fast as it can), then
//   asks
//                            "Continue? (y/n) ", stamps the time, and reads a line
#pragma once
#include <string>
#include <vector>

namespace lab {

// The exit status; 2 for a part that there is not.
int play_part(const std::vector<std::string>& words);

}  // namespace lab
