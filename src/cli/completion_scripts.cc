// SPDX-License-Identifier: Apache-2.0
// The scripts that the shells read: facts about the commands, and a function that finds its way by them.
#include <fmt/format.h>

#include "cli/completions.h"

namespace cli {
namespace {

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& each : words) text += (text.empty() ? "" : " ") + each;
  return text;
}

std::string kind_of(const CompletedOption& option) {
  switch (option.value) {
    case Words::anything:
      return "any";
    case Words::sessions:
      return "sessions";
    case Words::files:
      return "files";
    case Words::folders:
      return "folders";
    case Words::program:
      return "program";
    case Words::choices:
      return "'words " + join(option.choices) + "'";
  }
  return "any";
}

// Two functions that bash and zsh read alike: what a command has, and what an option of it takes.
std::string facts(const std::vector<CompletedCommand>& commands) {
  std::string text =
      "_tend_facts() {\n  _tend_subs='' _tend_opts='' _tend_more='' _tend_args=()\n  case \"$1\" in\n";
  for (const CompletedCommand& each : commands) {
    std::vector<std::string> names;
    for (const CompletedOption& option : each.options)
      names.insert(names.end(), option.names.begin(), option.names.end());
    text += "    '" + each.path + "') _tend_subs='" + join(each.commands) + "' _tend_opts='" + join(names) +
            "' _tend_args=(";
    for (const CompletedOption& argument : each.arguments)
      text += (text.ends_with('(') ? "" : " ") + kind_of(argument);
    const bool more = !each.arguments.empty() && each.arguments.back().takes_many;
    text += more ? ") _tend_more=1 ;;\n" : ") ;;\n";
  }
  text += "  esac\n}\n_tend_takes() {\n  _tend_kind=''\n  case \"$1 $2\" in\n";
  for (const CompletedCommand& each : commands) {
    for (const CompletedOption& option : each.options) {
      if (!option.takes_value) continue;
      text += "    ";
      for (const std::string& name : option.names)
        text += (text.ends_with(' ') ? "'" : " | '") + each.path + " " + name + "'";
      text += ") _tend_kind=" + kind_of(option) + " ;;\n";
    }
  }
  return text + "  esac\n}\n";
}

constexpr std::string_view kBash = R"script(_tend() {
  local cur=${COMP_WORDS[COMP_CWORD]} path='' expects='' behind=0 position=0 word i
  local _tend_subs _tend_opts _tend_more _tend_kind
  local -a _tend_args
  COMPREPLY=()
  _tend_facts ''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((behind)); then
      ((behind++))
    elif [[ $word == '=' ]]; then
      continue
    elif [[ $word == ':' ]]; then
      ((i++))
    elif [[ -n $expects ]]; then
      expects=''
    elif [[ $word == -- ]]; then
      behind=1
    elif [[ $word == -* ]]; then
      _tend_takes "$path" "$word"
      expects=$_tend_kind
    elif [[ " $_tend_subs " == *" $word "* ]]; then
      path=${path:+$path }$word
      _tend_facts "$path"
    else
      ((position++))
    fi
  done
  [[ $cur == '=' || $cur == ':' ]] && cur=''
  if ((behind == 1)); then
    COMPREPLY=($(compgen -c -- "$cur"))
    return
  elif ((behind > 1)); then
    expects=files
  elif [[ -z $expects ]]; then
    if [[ $cur == -* ]]; then
      COMPREPLY=($(compgen -W "$_tend_opts" -- "$cur"))
      return
    elif [[ -n $_tend_subs ]]; then
      COMPREPLY=($(compgen -W "$_tend_subs" -- "$cur"))
      return
    elif [[ -n $_tend_more ]] && ((position >= ${#_tend_args[@]})); then
      position=$((${#_tend_args[@]} - 1))
    fi
    expects=${_tend_args[position]}
  fi
  case "$expects" in
    sessions) COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" __sessions 2> /dev/null)" -- "$cur")) ;;
    files) COMPREPLY=($(compgen -f -- "$cur")) ;;
    folders) COMPREPLY=($(compgen -d -- "$cur")) ;;
    program) COMPREPLY=($(compgen -c -- "$cur")) ;;
    words*) COMPREPLY=($(compgen -W "${expects#words }" -- "$cur")) ;;
  esac
}
complete -F _tend tend
)script";

constexpr std::string_view kZsh = R"script(_tend() {
  local cur=${words[CURRENT]} cmd='' expects='' word
  local _tend_subs _tend_opts _tend_more _tend_kind
  local -a _tend_args
  local -i behind=0 position=1 i
  _tend_facts ''
  for ((i = 2; i < CURRENT; i++)); do
    word=${words[i]}
    if ((behind)); then
      ((behind++))
    elif [[ -n $expects ]]; then
      expects=''
    elif [[ $word == -- ]]; then
      behind=1
    elif [[ $word == -* ]]; then
      _tend_takes "$cmd" "$word"
      expects=$_tend_kind
    elif [[ " $_tend_subs " == *" $word "* ]]; then
      cmd=${cmd:+$cmd }$word
      _tend_facts "$cmd"
    else
      ((position++))
    fi
  done
  if ((behind == 1)); then
    expects=program
  elif ((behind > 1)); then
    expects=files
  elif [[ -z $expects ]]; then
    if [[ $cur == -* ]]; then
      compadd -- ${(s: :)_tend_opts}
      return
    elif [[ -n $_tend_subs ]]; then
      compadd -- ${(s: :)_tend_subs}
      return
    elif [[ -n $_tend_more ]] && ((position > ${#_tend_args})); then
      position=${#_tend_args}
    fi
    expects=${_tend_args[position]}
  fi
  case "$expects" in
    sessions) compadd -- ${(f)"$(${words[1]} __sessions 2> /dev/null)"} ;;
    files) _files ;;
    folders) _files -/ ;;
    program) _command_names -e ;;
    words*) compadd -- ${(s: :)${expects#words }} ;;
  esac
}
if [[ ${funcstack[1]} == _tend ]]; then
  _tend "$@"
else
  compdef _tend tend
fi
)script";

constexpr std::string_view kFish = R"script(function __tend_sessions
  set -l words (commandline -opc)
  command $words[1] __sessions 2>/dev/null
end
function __tend_at
  test (__tend_path)x = "$argv[1]"x
end
complete -c tend -f
)script";

std::string fish_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string fish_values(const CompletedOption& option) {
  switch (option.value) {
    case Words::sessions:
      return " -a '(__tend_sessions)'";
    case Words::files:
      return " -F";
    case Words::folders:
      return " -a '(__fish_complete_directories)'";
    case Words::program:
      return " -a '(__fish_complete_command)'";
    case Words::choices:
      return " -a " + fish_quoted(join(option.choices));
    case Words::anything:
      return "";
  }
  return "";
}

// The longest path of commands that the words before the cursor make.
std::string fish_path(const std::vector<CompletedCommand>& commands) {
  std::string text =
      "function __tend_path\n  set -l path ''\n  for word in (commandline -opc)[2..-1]\n"
      "    switch (string trim -- \"$path $word\")\n      case";
  for (const CompletedCommand& each : commands) {
    if (!each.path.empty()) text += " " + fish_quoted(each.path);
  }
  return text + "\n        set path (string trim -- \"$path $word\")\n    end\n  end\n  echo $path\nend\n";
}

}  // namespace

std::string bash_completions(const std::vector<CompletedCommand>& commands) {
  return "# Completion of tend for bash: source <(tend completions bash)\n" + facts(commands) +
         std::string(kBash);
}

std::string zsh_completions(const std::vector<CompletedCommand>& commands) {
  return "#compdef tend\n# Completion of tend for zsh: source <(tend completions zsh), behind compinit\n" +
         facts(commands) + std::string(kZsh);
}

std::string fish_completions(const std::vector<CompletedCommand>& commands) {
  std::string text = "# Completion of tend for fish: tend completions fish | source\n" + fish_path(commands) +
                     std::string(kFish);
  for (const CompletedCommand& each : commands) {
    const std::string here = "complete -c tend -n " + fish_quoted("__tend_at " + fish_quoted(each.path));
    for (const CompletedCommand& sub : commands) {
      const size_t space = sub.path.rfind(' ');
      const std::string parent = space == std::string::npos ? "" : sub.path.substr(0, space);
      if (sub.path.empty() || parent != each.path) continue;
      const std::string name = space == std::string::npos ? sub.path : sub.path.substr(space + 1);
      text += fmt::format("{} -a {} -d {}\n", here, name, fish_quoted(sub.help));
    }
    for (const CompletedOption& option : each.options) {
      text += here;
      for (const std::string& name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (option.takes_value) text += (option.value == Words::files ? " -r" : " -x") + fish_values(option);
      text += " -d " + fish_quoted(option.help) + "\n";
    }
    for (const CompletedOption& argument : each.arguments) {
      if (argument.value != Words::anything) text += here + fish_values(argument) + "\n";
    }
  }
  return text;
}

}  // namespace cli
