// SPDX-License-Identifier: Apache-2.0
// A configuration file of any bytes: an error with words, or a configuration that shows and loads again to
// the same. The bytes also go in as a variable and as a flag.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "config/load.h"
#include "config/show.h"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

void round_trip(const base::Result<config::Loaded>& loaded) {
  if (!loaded) {
    check(!loaded.error().message().empty());
    return;
  }
  const std::string shown = config::show_yaml(*loaded, config::Secrets::shown, config::Colour::none);
  const auto again = config::load_text(shown, "shown");
  check(again.has_value() && again->config == loaded->config);
  check(config::show_json(*again, config::Secrets::shown).size() > 2);
  for (size_t i = 0; i < loaded->settings.size(); i++)
    check(again->settings[i].value == loaded->settings[i].value);
  // Masked, it is YAML still: it loads, or only the masks are refused.
  const auto masked =
      config::load_text(config::show_yaml(*loaded, config::Secrets::masked, config::Colour::none), "m");
  check(masked || masked.error().message().ends_with("in place of a secret"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  round_trip(config::load_text(bytes, bytes.substr(0, 8)));
  config::Sources sources;
  sources.environment = {"TEND_" + bytes};
  sources.assignments = {bytes};
  round_trip(config::load(sources));
  return 0;
}
