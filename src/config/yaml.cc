// SPDX-License-Identifier: Apache-2.0
#include "config/yaml.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "config/text.h"

namespace config {
namespace {

// Leaves yaml-cpp's parser, which has no other way out; caught below.
struct Stop {
  int line;
  int column;
  const char* what;
};

constexpr const char* kTooDeep = "is nested too deeply (16 levels at most)";

class Builder final : public YAML::EventHandler {
 public:
  YamlNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0)
      throw stop(make(YamlNode::Kind::null, mark), "a second document begins; there may be only one");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(anchor, make(YamlNode::Kind::null, mark));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    // yaml-cpp gives "?" to plain scalars and "!" to quoted and block ones.
    YamlNode node = make(tag == "!" ? YamlNode::Kind::quoted : YamlNode::Kind::plain, mark);
    refuse_tag(node, tag);
    node.text = text;
    add(anchor, std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(make(YamlNode::Kind::list, mark), tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(make(YamlNode::Kind::map, mark), tag, anchor);
  }
  void OnMapEnd() override { close(); }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const YamlNode alias = make(YamlNode::Kind::null, mark);
    const auto found = anchors_.find(anchor);
    // The anchor of a collection that is still open is not there yet.
    if (found == anchors_.end()) throw stop(alias, "an alias stands inside of what it stands for");
    if (static_cast<int>(open_.size()) + height(found->second) > kMostDepth) throw stop(alias, kTooDeep);
    // Charged before it is copied: the copy is what costs.
    charge(alias, found->second);
    YamlNode copy = found->second;
    copy.line = alias.line;
    copy.column = alias.column;
    insert(std::move(copy));
  }

 private:
  struct Open {
    YamlNode node;
    YAML::anchor_t anchor;
    std::vector<YamlNode> children;  // of a map: key, item, key, item, …
  };

  static YamlNode make(YamlNode::Kind kind, const YAML::Mark& mark) {
    return {.kind = kind, .line = mark.line + 1, .column = mark.column + 1};
  }
  static Stop stop(const YamlNode& at, const char* what) { return {at.line, at.column, what}; }
  static int height(const YamlNode& node) {
    int most = 0;
    for (const YamlNode& item : node.items) most = std::max(most, height(item));
    for (const YamlNode& key : node.keys) most = std::max(most, height(key));
    return most + 1;
  }
  static void refuse_tag(const YamlNode& at, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!") throw stop(at, "tags are not used here");
  }

  void charge(const YamlNode& at, const YamlNode& node) {
    if (++nodes_ > kMostNodes) throw stop(at, "has too many values (20,000 at most, aliases expanded)");
    text_ += node.text.size();
    if (text_ > kMostText) throw stop(at, "is too large (4 MiB at most, aliases expanded)");
    for (const YamlNode& key : node.keys) charge(at, key);
    for (const YamlNode& item : node.items) charge(at, item);
  }
  void open(YamlNode node, const std::string& tag, YAML::anchor_t anchor) {
    refuse_tag(node, tag);
    if (static_cast<int>(open_.size()) >= kMostDepth) throw stop(node, kTooDeep);
    charge(node, node);
    open_.push_back({.node = std::move(node), .anchor = anchor, .children = {}});
  }
  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    if (done.node.kind == YamlNode::Kind::list) {
      done.node.items = std::move(done.children);
    } else {
      for (size_t i = 0; i + 1 < done.children.size(); i += 2) {
        YamlNode& key = done.children[i];
        YamlNode& item = done.children[i + 1];
        // Where nothing stands behind the colon, yaml-cpp names the place of whatever comes next.
        if (item.kind == YamlNode::Kind::null && item.line != key.line) {
          item.line = key.line;
          item.column = key.column;
        }
        done.node.keys.push_back(std::move(key));
        done.node.items.push_back(std::move(item));
      }
    }
    remember(done.anchor, done.node);
    insert(std::move(done.node));
  }
  void add(YAML::anchor_t anchor, YamlNode node) {
    charge(node, node);
    remember(anchor, node);
    insert(std::move(node));
  }
  // What is kept for aliases costs memory too: nested anchors keep the same nodes several times.
  void remember(YAML::anchor_t anchor, const YamlNode& node) {
    if (anchor == YAML::NullAnchor) return;
    charge(node, node);
    anchors_[anchor] = node;
  }
  void insert(YamlNode node) {
    if (open_.empty())
      root_ = std::move(node);
    else
      open_.back().children.push_back(std::move(node));
  }

  YamlNode root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, YamlNode> anchors_;
  size_t nodes_ = 0;
  size_t text_ = 0;
  int documents_ = 0;
};

Problem problem_at(const std::string& name, std::string_view text, size_t offset, const char* what) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return {{name, static_cast<int>(line), static_cast<int>(offset - start) + 1}, "", what};
}

}  // namespace

std::expected<YamlNode, Problem> parse_yaml(std::string_view text, const std::string& name) {
  const auto fail = [&](int line, int column, std::string what) {
    return std::unexpected(Problem{{name, line, column}, "", std::move(what)});
  };
  if (text.size() > kMostBytes) return fail(0, 0, "is too large (1 MiB at most)");
  // yaml-cpp would guess another encoding, or replace what it cannot read.
  if (const size_t good = utf8_prefix(text); good < text.size())
    return std::unexpected(problem_at(name, text, good, "is not UTF-8"));
  if (const size_t zero = text.find('\0'); zero != std::string_view::npos)
    return std::unexpected(problem_at(name, text, zero, "has a zero byte"));
  try {
    std::istringstream in{std::string(text)};
    YAML::Parser parser(in);
    Builder builder;
    while (parser.HandleNextDocument(builder)) {
    }
    return builder.take();
  } catch (const Stop& stop) {
    return fail(stop.line, stop.column, stop.what);
  } catch (const YAML::Exception& error) {
    return fail(error.mark.line + 1, error.mark.column + 1, "is not YAML: " + error.msg);
  }
}

}  // namespace config
