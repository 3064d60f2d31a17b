// SPDX-License-Identifier: Apache-2.0
#include "mcp/result.h"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <utility>

#include "mcp/listing.h"
#include "wire/params.h"

namespace mcp {
namespace {

namespace json = boost::json;
using base::Code;

json::object text_block(std::string text) { return {{"type", "text"}, {"text", std::move(text)}}; }

bool is_true(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_bool() && value->get_bool();
}

// Whether it was cut.
bool cut_text(json::object& result, std::string_view field, size_t most) {
  json::value* value = result.if_contains(field);
  if (value == nullptr || !value->is_string()) return false;
  std::string text(value->get_string());
  const size_t left_out = keep_newest(text, most);
  if (left_out == 0) return false;
  result[field] = text;
  result["omitted_chars"] = left_out;
  return true;
}

bool cut_list(json::object& result, std::string_view field, size_t most) {
  json::value* value = result.if_contains(field);
  if (value == nullptr || !value->is_array()) return false;
  json::array& list = value->get_array();
  size_t used = 0;
  size_t kept = 0;
  for (auto each = list.rbegin(); each != list.rend(); ++each, kept++) {
    used += json::serialize(*each).size();
    if (used > most && kept > 0) break;
  }
  if (kept == list.size()) return false;
  const size_t left_out = list.size() - kept;
  list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(left_out));
  result["omitted"] = left_out;
  return true;
}

// The long text as it is, and the rest behind it.
json::array content_of(const json::object& result, std::string_view field) {
  const json::value* text = field.empty() ? nullptr : result.if_contains(field);
  if (text == nullptr || !text->is_string()) return {text_block(json::serialize(result))};
  json::object rest = result;
  rest.erase(field);
  json::array content{text_block(std::string(text->get_string()))};
  if (!rest.empty()) content.push_back(text_block(json::serialize(rest)));
  return content;
}

json::object spawned(const json::object& said) {
  // A new session has its PTY in a list, a further PTY stands for itself.
  const json::value* ptys = said.if_contains("ptys");
  const bool session = ptys != nullptr && ptys->is_array() && !ptys->get_array().empty();
  const json::object& pty = session ? ptys->get_array().front().as_object() : said;
  json::object result{{"session", said.at(session ? "id" : "session_id")}, {"name", said.at("name")}};
  result["pty"] = pty.at("id");
  for (const char* name : {"pid", "state", "cols", "rows", "command", "cwd"}) result[name] = pty.at(name);
  return result;
}

// The empty rows below a screen tell nothing.
json::object shown(json::object said) {
  json::value* data = said.if_contains("data");
  const json::value* format = said.if_contains("format");
  if (data == nullptr || format == nullptr || *format != "text") return said;
  json::string& text = data->as_string();
  size_t end = text.find_last_not_of('\n');
  end = end == json::string::npos ? 0 : end + 1;
  if (end < text.size()) text.resize(end + (end > 0 ? 1 : 0));
  return said;
}

json::object to_object(const Plan& plan, json::value said) {
  const Tool& tool = *plan.tool;
  if (tool.odd == Odd::spawn && said.is_object()) return spawned(said.get_object());
  if (tool.odd == Odd::list && said.is_array())
    return {{"ptys", list_ptys(said.get_array(), plan.arguments)}};
  if (said.is_array()) return {{tool.list.empty() ? "list" : tool.list, std::move(said)}};
  if (!said.is_object()) return {};
  return plan.method == "pty.screen" ? shown(std::move(said.get_object())) : std::move(said.get_object());
}

// Half a picture is none.
bool must_be_whole(const json::object& result) {
  const json::value* format = result.if_contains("format");
  return format != nullptr && format->is_string() && format->get_string() != "text" &&
         format->get_string() != "ansi";
}

json::object finish(const Plan& plan, json::object structured, std::string_view text_field) {
  if (!plan.action.empty()) {
    structured["ok"] = !structured.contains("error");
    structured["action"] = plan.action;
  }
  json::object result{{"content", content_of(structured, text_field)}};
  result["structuredContent"] = std::move(structured);
  return result;
}

}  // namespace

size_t keep_newest(std::string& text, size_t most_chars) {
  size_t chars = 0;
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  size_t from = text.size();
  size_t kept = 0;
  for (size_t i = text.size(); i-- > 0;) {
    if (!begins(text[i])) continue;
    if (++chars <= most_chars) {
      from = i;
      kept = chars;
    }
  }
  text.erase(0, from);
  return chars - kept;
}

json::object make_result(const Plan& plan, json::value said) {
  const Tool& tool = *plan.tool;
  json::object result = to_object(plan, std::move(said));
  const json::value* text = tool.text.empty() ? nullptr : result.if_contains(tool.text);
  if (text != nullptr && text->is_string() && must_be_whole(result) &&
      text->get_string().size() > plan.most_chars)
    return make_failure(plan,
                        {Code::message_too_large, 0,
                         fmt::format("it has {} bytes, more than max_chars ({}); ask for more, or for text",
                                     text->get_string().size(), plan.most_chars)},
                        {});
  const bool cut =
      cut_text(result, tool.text, plan.most_chars) || cut_list(result, tool.list, plan.most_chars);
  if (!tool.text.empty() || !tool.list.empty()) result["truncated"] = cut || is_true(result, "truncated");
  return finish(plan, std::move(result), tool.text);
}

json::object make_failure(const Plan& plan, const base::Error& error, json::object data) {
  json::object about{{"code", base::code_name(error.code)}, {"message", error.message()}};
  // A code that this program does not know is passed on as it came.
  for (auto& each : data) about[each.key()] = std::move(each.value());
  if (cut_text(about, "output", plan.most_chars)) about["truncated"] = true;
  const std::string line =
      fmt::format("{}: {}", std::string_view(about.at("code").as_string()), error.message());
  const std::string output = about.contains("output") && about.at("output").is_string()
                                 ? std::string(about.at("output").get_string())
                                 : std::string();
  json::object structured{{"error", std::move(about)}};
  json::object result = finish(plan, std::move(structured), {});
  json::array content{text_block(line)};
  if (!output.empty()) content.push_back(text_block("Output so far:\n" + output));
  result["content"] = std::move(content);
  result["isError"] = true;
  return result;
}

}  // namespace mcp
