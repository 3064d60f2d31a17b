// SPDX-License-Identifier: Apache-2.0
#include "cli/man_pages.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <iterator>

#include "cli/completions.h"
#include "config/schema.h"

namespace cli {
namespace {

constexpr std::string_view kAbout = R"(.SH DESCRIPTION
.B tend
keeps AI coding agents, and any other interactive program, running in terminals that a person can leave, watch from
anywhere, answer, and trust afterwards.
.PP
.B tend run
starts a program in a session of its own. Ctrl+] leaves it, and
.B tend attach
comes back, from any terminal and in as many places as wanted.
The program's terminal belongs to a process of its own, the keeper:
the daemon, which the first command starts, may be stopped, killed or replaced, and neither the program nor a byte of
its output is lost.
.PP
.I SESSION
is a name or an id;
.I SESSION:N
is terminal N of it, 0, the program of
.BR "tend run" ,
if left out.
)";

constexpr std::string_view kRest = R"(.SH EXAMPLES
.nf
tend run \-n api \-\- bash
tend run \-d \-n build \-\- make \-j8
tend wait build \-\-until exited && tend logs build \-n 20
tend wait api \-\-until waiting && tend prompts
tend send api \-\-enter \(aqgit status\(aq && tend screen api
.fi
.SH EXIT STATUS
.TP
.B 0
done
.TP
.B 1
failed
.TP
.B 2
bad usage or configuration
.TP
.B 3
no such session, terminal or prompt
.TP
.B 4
the daemon cannot be reached
.TP
.B 5
a limit of the loop was reached
.TP
.B 124
timed out
.TP
.B 130
interrupted
.PP
.B tend run
(attached) and
.B tend exec
pass the status of the program on.
.SH ENVIRONMENT
.TP
.B TEND_HOME
Puts sockets, state and configuration below this folder.
.TP
.B TEND_AGENT_ID
Who asks, for the audit.
.TP
.BI TEND_ SECTION _ KEY
A setting; see
.BR tend.yml (5).
.TP
.B NO_COLOR
No colours in what tend prints itself.
.SH FILES
.TP
.I $XDG_CONFIG_HOME/tend/config.yml, ./tend.yml
Settings.
.TP
.I $XDG_STATE_HOME/tend/
The store, the output of sessions, logs, sockets.
)";

constexpr std::string_view kSettingsAbout = R"(.SH DESCRIPTION
YAML, in up to three files, with variables and flags above them. Later ones win: built\-in defaults,
.IR $XDG_CONFIG_HOME/tend/config.yml ,
.I tend.yml
in the folder that tend is started in,
.BR \-\-config ,
variables
.RB ( TEND_ ,
the path in capitals,
.B _
for each dot:
.BR TEND_WEB_PORT ),
and
.BR "\-\-set section.key=value" .
.PP
.B tend config show
prints what is in force and where it comes from;
.B tend config validate
finds everything that is wrong with a file.
)";

// As man(7) would print it. Texts have `names` as Markdown has them.
std::string troff(std::string_view text) {
  std::string out;
  bool named = false;
  for (const char c : text) {
    if (c == '`') {
      out += named ? "\\fR" : "\\fB";
      named = !named;
    } else if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else if (c == '\n') {
      out += ' ';
    } else {
      out += c;
    }
  }
  // A dot there would be a request.
  return out.starts_with('.') ? "\\&" + out : out;
}

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

std::string head(std::string_view name, int section, std::string_view version, std::string_view about) {
  return fmt::format(".TH {} {} \"\" \"tend {}\" \"tend\"\n.SH NAME\n{} \\- {}\n", troff(upper(name)),
                     section, version, troff(name), troff(about));
}

std::string value_of(const CompletedOption& option) {
  return option.takes_value ? fmt::format("\\fI{}\\fR", troff(option.type)) : "";
}

// .TP, what is typed, and what it does.
std::string entry(const CompletedOption& option) {
  std::string names;
  for (const std::string& each : option.names)
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", troff(each));
  const std::string value = value_of(option);
  if (names.empty()) return fmt::format(".TP\n{}\n{}\n", value, troff(option.help));
  return fmt::format(".TP\n{}{}{}\n{}\n", names, value.empty() ? "" : " ", value, troff(option.help));
}

std::string synopsis(const CompletedCommand& command) {
  std::string line = fmt::format("\\fBtend {}\\fR", troff(command.path));
  if (!command.options.empty()) line += " [\\fIOPTION\\fR]...";
  if (!command.commands.empty()) line += " [\\fICOMMAND\\fR]";
  for (const CompletedOption& each : command.arguments) {
    const std::string value = value_of(each);
    const std::string words = each.takes_many ? value + "..." : value;
    line += each.value == Words::program ? fmt::format(" \\-\\- {}", words)
            : each.required              ? " " + words
                                         : fmt::format(" [{}]", words);
  }
  return line + "\n";
}

std::string entries_of(const CompletedCommand& command) {
  std::string text;
  for (const CompletedOption& each : command.arguments) text += entry(each);
  for (const CompletedOption& each : command.options) text += entry(each);
  return text;
}

ManPage main_page(const std::vector<CompletedCommand>& commands, std::string_view version) {
  const CompletedCommand& tend = commands.front();
  std::string text = head("tend", 1, version, "interactive programs in terminals that a person can leave");
  text += ".SH SYNOPSIS\n\\fBtend\\fR [\\fIOPTION\\fR]... \\fICOMMAND\\fR ...\n";
  text += kAbout;
  text += ".SH COMMANDS\nEach has a page of its own, as\n.BR tend\\-run (1).\n";
  for (const std::string& name : tend.commands) {
    const auto found = std::find_if(commands.begin(), commands.end(),
                                    [&](const CompletedCommand& each) { return each.path == name; });
    text += fmt::format(".TP\n\\fBtend {}\\fR\n{}\n", troff(name), troff(found->help));
  }
  text += ".SH OPTIONS\n" + entries_of(tend);
  text += kRest;
  text += ".SH SEE ALSO\n.BR tend.yml (5)\n";
  return {"tend.1", std::move(text)};
}

// With the commands below it, as `tend audit show`.
ManPage command_page(const std::vector<CompletedCommand>& commands, const CompletedCommand& command,
                     std::string_view version) {
  std::vector<CompletedCommand> parts;
  std::copy_if(commands.begin(), commands.end(), std::back_inserter(parts),
               [&](const CompletedCommand& each) { return each.path.starts_with(command.path + " "); });
  std::string text = head("tend-" + command.path, 1, version, command.help);
  text += ".SH SYNOPSIS\n" + synopsis(command);
  for (const CompletedCommand& each : parts) text += ".br\n" + synopsis(each);
  text += fmt::format(".SH DESCRIPTION\n{}.\n", troff(command.help));
  text += ".SH OPTIONS\n" + entries_of(command);
  if (!parts.empty()) text += ".SH COMMANDS\n";
  for (const CompletedCommand& each : parts)
    text += fmt::format(".SS tend {}\n{}.\n{}", troff(each.path), troff(each.help), entries_of(each));
  text += ".SH SEE ALSO\n.BR tend (1),\n.BR tend.yml (5)\n";
  return {fmt::format("tend-{}.1", command.path), std::move(text)};
}

std::string entry(const config::Setting& setting) {
  std::string text = fmt::format(".TP\n\\fB{}\\fR\n{}; {}", troff(setting.path), troff(setting.about),
                                 troff(config::wanted(setting)));
  if (setting.fallback) text += fmt::format("; default \\fB{}\\fR", troff(*setting.fallback));
  text += ".\n";
  if (setting.fields.empty()) return text;
  text += ".RS\n";
  for (const config::Setting& each : setting.fields) text += entry(each);
  return text + ".RE\n";
}

ManPage settings_page(std::string_view version) {
  std::string text = head("tend.yml", 5, version, "the settings of tend");
  text += kSettingsAbout;
  text += ".SH SETTINGS\n";
  for (const config::Section& section : config::sections()) {
    text += fmt::format(".SS {}\n{}\n", troff(section.name), troff(section.about));
    for (const config::Setting& each : config::settings()) {
      if (each.path.starts_with(std::string(section.name) + ".") && each.gone.empty()) text += entry(each);
    }
  }
  text += ".SH SEE ALSO\n.BR tend (1)\n";
  return {"tend.yml.5", std::move(text)};
}

}  // namespace

std::vector<ManPage> man_pages(const CLI::App& app, std::string_view version) {
  const auto commands = completed_commands(app);
  std::vector<ManPage> pages = {main_page(commands, version)};
  for (const CompletedCommand& each : commands) {
    if (!each.path.empty() && each.path.find(' ') == std::string::npos)
      pages.push_back(command_page(commands, each, version));
  }
  pages.push_back(settings_page(version));
  return pages;
}

}  // namespace cli
