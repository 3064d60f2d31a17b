// SPDX-License-Identifier: Apache-2.0
#include "vt/char_class.h"

#include <algorithm>

namespace vt {
namespace {

constexpr char32_t kEmojiPresentation = 0xFE0F;

// GB11: a pictographic, any number of extending marks, a joiner.
bool ends_in_joined_picture(std::u32string_view cluster) {
  if (char_class(cluster.back()).rule() != Break::zwj) return false;
  for (size_t i = cluster.size() - 1; i-- > 0;) {
    const Break rule = char_class(cluster[i]).rule();
    if (rule == Break::pictographic) return true;
    if (rule != Break::extend) return false;
  }
  return false;
}

}  // namespace

bool joins(std::u32string_view cluster, char32_t next, Clustering clustering) {
  const CharClass to = char_class(next);
  if (to.rule() == Break::control) return false;
  if (to.width() == 0) return true;
  if (clustering == Clustering::marks_only) return false;
  const Break last = char_class(cluster.back()).rule();
  switch (to.rule()) {
    case Break::extend:
    case Break::zwj:
    case Break::spacing:
      return true;
    case Break::pictographic:
      return ends_in_joined_picture(cluster);
    case Break::regional:
      return cluster.size() == 1 && last == Break::regional;
    case Break::l:
    case Break::lv:
    case Break::lvt:
      return last == Break::l;
    case Break::v:
      return last == Break::l || last == Break::v || last == Break::lv;
    case Break::t:
      return last == Break::v || last == Break::t || last == Break::lv || last == Break::lvt;
    case Break::other:
    case Break::control:
      return false;
  }
  return false;
}

int cluster_width(std::u32string_view cluster) {
  int width = 1;
  for (const char32_t cp : cluster)
    width = std::max(width, cp == kEmojiPresentation ? 2 : char_class(cp).width());
  const bool flag = cluster.size() > 1 && char_class(cluster[0]).rule() == Break::regional &&
                    char_class(cluster[1]).rule() == Break::regional;
  return flag ? 2 : width;
}

}  // namespace vt
