// SPDX-License-Identifier: Apache-2.0
#include "daemon/settings.h"

#include <utility>

#include "config/load.h"

namespace host {
namespace {

base::Result<session::SessionSettings> take(const config::Config& config) {
  session::SessionSettings settings;
  auto attentiveness = session::make_attentive(config.detector);
  if (!attentiveness) return base::fail(attentiveness);
  settings.attentiveness = std::move(*attentiveness);
  static_cast<config::Session&>(settings) = config.session;
  settings.keystrokes = config.audit.keystrokes;
  settings.prompts = config.prompts;
  settings.sandbox = config.sandbox;
  settings.supervision = config.supervision;
  auto policy = session::Policy::make(config.prompts.rules);
  if (!policy) return base::fail(policy);
  settings.policy = std::move(*policy);
  settings.input_filter = config.input_filter;
  settings.evidence = config.evidence.automatic;
  return settings;
}

}  // namespace

base::Result<session::SessionSettings> read_settings(const std::string& text) {
  static const auto kDefaults = take(config::defaults().config);
  if (text.empty()) return kDefaults;
  auto loaded = config::load_text(text, "the settings of the session");
  if (!loaded) return base::fail(loaded);
  return take(loaded->config);
}

}  // namespace host
