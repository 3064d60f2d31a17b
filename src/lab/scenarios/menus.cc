// SPDX-License-Identifier: Apache-2.0
// QA-026: what a program with a list and a pointer takes.
#include <fmt/format.h>

#include "lab/house.h"
#include "lab/scenarios/all.h"

namespace lab {
namespace {

// As programs do that handle all keys of one read before they draw: Enter takes the entry that was
// highlighted when the keys came, whatever stands before it among them.
constexpr const char* kMenu = R"sh(
stty -icanon -echo -icrnl
esc=$(printf '\033')
enter=$(printf '\r')
at=1
draw() {
  printf '\033[H\033[2JIs this a project that you trust?\r\n\r\n'
  i=0
  for entry in 'Yes, I trust it' 'No, exit' 'Ask me later'; do
    i=$((i+1))
    if [ $i = $at ]; then printf '❯ %s. %s\r\n' $i "$entry"; else printf '  %s. %s\r\n' $i "$entry"; fi
  done
  printf '\r\nEnter to confirm, Esc to cancel\r\n'
}
while draw; do
  keys=$(dd bs=64 count=1 2> /dev/null; echo .)
  case $keys in
    *"$enter"*) echo $at >> "$1"; printf '\033[H\033[2Jtaken\r\n'; exec sleep 600 ;;
    "$esc[B$esc[B"*) at=$((at+2)) ;;
    "$esc[B"*) at=$((at+1)) ;;
    "$esc[A"*) at=$((at-1)) ;;
  esac
done
)sh";

}  // namespace

void pointer_menu(Trial& trial) {
  House house(trial);
  if (!house.start("")) return;
  const std::pair<std::string, std::string> entries[] = {
      {"Yes, I trust it", "1"}, {"No, exit", "2"}, {"Ask me later", "3"}};
  for (const auto& [entry, number] : entries) {
    const std::string name = "menu" + number;
    house.run(name, kMenu);
    json::object prompt;
    if (!trial.await("the list is a prompt", [&] { return !(prompt = house.open_prompt(name)).empty(); }))
      return;
    trial.expect(fmt::format("{}: type", entry), "MULTIPLE_CHOICE", text_of(prompt, "type"));
    std::string answer = entry;
    if (trial.conditions().garble) trial.conditions().garble(answer);
    const json::value came = house.ask(
        "prompt.answer", {{"prompt_id", prompt["id"]}, {"nonce", prompt["nonce"]}, {"answer", answer}});
    trial.expect(fmt::format("{}: outcome", entry), "accepted", text_of(came, "outcome"));
    if (!trial.await("the program takes an entry", [&] { return !house.read_by(name).empty(); })) return;
    trial.expect(fmt::format("{}: what the program took", entry), number + "\n", house.read_by(name));
  }
}

}  // namespace lab
