// SPDX-License-Identifier: Apache-2.0
// What the cells of one Screen refer to by number.
#pragma once
#include "vt/interned.h"
#include "vt/style.h"

namespace vt {

struct Tables {
  StyleTable styles;
  ClusterTable clusters;
  LinkTable links;

  size_t memory() const { return styles.memory() + clusters.memory() + links.memory(); }
};

}  // namespace vt
