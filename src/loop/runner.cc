// SPDX-License-Identifier: Apache-2.0
#include "loop/runner.h"

#include <cerrno>
#include <sys/prctl.h>

#include "config/load.h"
#include "loop/looping.h"

namespace loop {

using base::fail;

base::Result<int> run(const Surroundings& surroundings) {
  // Before anything else: what is asked of the loop from now on is heard.
  auto signals = Signals::block();
  if (!signals) return fail(signals);
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
    return fail(base::Code::internal, errno, "cannot look after the agent's children");
  auto plan = read_plan(surroundings.folder);
  if (!plan) return fail(plan);
  auto settings = config::load_text(plan->settings, surroundings.folder + "/plan.json");
  if (!settings) return fail(settings);
  auto record = Record::open(surroundings.folder);
  if (!record) return fail(record);
  Station station(std::move(*signals), surroundings.connect);
  const Workplace place{station, *record, settings->config, *plan, surroundings.session};
  return Looping(place, surroundings.folder).run();
}

}  // namespace loop
