# SPDX-License-Identifier: Apache-2.0
"""The recordings of this folder, each made by a function: run inside the world that scripts/record-corpus makes.

    scenes.py [NAME…]
"""
import contextlib
import os
import re
import shutil
import subprocess
import sys
import threading

from registry import Registry
from recorder import Failed, Recorder
from scrub import offences

HERE = os.path.dirname(os.path.abspath(__file__))
HOME = "/home/demo"
USER = 1000
ENV = {
    "HOME": HOME,
    "USER": "demo",
    "LOGNAME": "demo",
    "SHELL": "/bin/bash",
    "TERM": "xterm-256color",
    "COLORTERM": "truecolor",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PATH": "/opt/rust/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/usr/games",
    "PS1": r"\[\e[1;32m\]demo\[\e[0m\]:\[\e[1;34m\]\w\[\e[0m\]\$ ",
    "HISTFILE": "/dev/null",
    "LESSHISTFILE": "-",
    "NO_UPDATE_NOTIFIER": "1",
}
UP, DOWN, RIGHT, LEFT = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
PAGE_DOWN = "\x1b[6~"
SCENES = {}


def scene(name, cols=80, rows=24):
    def register(function):
        SCENES[name] = (cols, rows, function)
        return function

    return register


class Stage(Recorder):
    def run(self, *argv, root=False, cwd=None, **extra):
        env = ENV | {"TERM": "xterm-256color"} | extra
        self.start(*argv, env=env, cwd=cwd or HOME + "/project", user=None if root else USER)

    def bash(self, **extra):
        self.run("bash", "--norc", "--noprofile", **extra)
        self.expect(r"\$ $")


@scene("vim-edit")
def vim_edit(t):
    t.run("vim", "list.c")
    t.expect("insert")
    t.keys("/calloc\r")
    t.keys("oint extra = 42; // typed here\x1b")
    t.keys("yyp3p")
    t.keys("u")
    t.keys(":set number list\r")
    t.keys("gg\x16jjlllI# \x1b")
    t.keys("10Gd4d")
    t.keys(":%s/word/WORD/g\r")
    t.keys("\x06")
    t.keys("\x19\x19\x05")
    t.keys("ggVjj")
    t.mark("visual")
    t.quit("\x1b:q!\r")


@scene("vim-split", 100, 30)
def vim_split(t):
    t.run("vim", "list.c")
    t.expect("insert")
    t.keys(":set number cursorline hlsearch\r")
    t.keys(":vsplit text.txt\r")
    t.keys(":split\r")
    t.keys("\x17l")
    t.keys("/node\r")
    t.keys("\x17j20jzz")
    t.keys("v5jl")
    t.mark("split")
    t.keys("\x1b:terminal\r", "demo")
    t.keys("ls --color=always\r", "list.c")
    t.keys("exit\r")
    t.keys(":help vim-modes\r")
    t.keys("\x06")
    t.mark("help")
    t.quit(":qa!\r")


@scene("vim-resize")
def vim_resize(t):
    t.run("vim", "list.c")
    t.expect("insert")
    t.keys("20G")
    t.resize(50, 15)
    t.mark("small")
    t.keys(":vsplit\r")
    t.resize(120, 40)
    t.mark("large")
    t.resize(80, 24)
    t.quit(":qa!\r")


@contextlib.contextmanager
def company():
    """Other processes, so that a list of them is worth looking at; one of them works."""
    commands = [["yes"], ["sleep", "1000"], ["sh", "-c", "sleep 2000; true"], ["tail", "-f", "/dev/null"],
                ["/usr/bin/python3", "-c", "import time; memory = bytearray(300_000_000); time.sleep(1000)"],
                ["cat"], ["sh", "-c", "read line"], ["bash", "-c", "sleep 3000; sleep 1"]]
    group = [subprocess.Popen(c, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, user=USER, group=USER,
                              extra_groups=[], env=ENV, cwd="/") for c in commands]
    try:
        yield
    finally:
        for process in group:
            process.kill()
            process.wait()


@scene("htop", 100, 30)
def htop(t):
    with company():
        htop_tour(t)


def htop_tour(t):
    t.run("htop", "-d", "10")
    t.expect("F10")
    t.settle(2, 3)
    t.mark("main")
    t.keys("t")
    t.keys(DOWN + DOWN)
    t.keys("\x1bOR", "Search")
    t.keys("py")
    t.keys("\r")
    t.keys("\x1bOQ", "Setup|Meters|Display")
    t.mark("setup")
    t.keys("\x1b[21~")
    t.keys("h")
    t.keys("q")
    t.quit("q")


@scene("htop-resize")
def htop_resize(t):
    t.run("htop", "-d", "10")
    t.expect("F10")
    t.resize(60, 12)
    t.settle(0.3, 2)
    t.mark("small")
    t.resize(132, 43)
    t.settle(0.3, 2)
    t.mark("large")
    t.quit("q")


@scene("top")
def top(t):
    with company():
        top_tour(t)


def top_tour(t):
    t.run("top", "-d", "0.7")
    t.expect("PID")
    t.keys("z")
    t.keys("1")
    t.keys("m")
    t.expect("PID")
    t.mark("main")
    t.keys("?")
    t.keys("q")
    t.quit("q")


@scene("less")
def less(t):
    t.run("less", "-R", "long.txt")
    t.expect("line 1 ")
    t.keys(" ")
    t.keys(" ")
    t.keys("b")
    t.keys("/line 77\r")
    t.keys("n")
    t.keys("-S\r")
    t.keys(RIGHT)
    t.keys("G")
    t.mark("end")
    t.keys("g")
    t.keys("-N\r")
    t.keys("j" * 5)
    t.keys("k")
    t.quit("q")


@scene("less-utf8")
def less_utf8(t):
    t.run("less", "wide.txt")
    t.expect("ASCII")
    t.mark("top")
    t.keys("/世界\r")
    t.keys("j")
    t.keys("\x1b>")
    t.mark("end")
    t.resize(41, 16)
    t.keys("g")
    t.mark("narrow")
    t.resize(100, 24)
    t.quit("q")


@scene("less-resize")
def less_resize(t):
    t.run("less", "long.txt")
    t.expect("line 1 ")
    t.keys(" ")
    t.resize(40, 12)
    t.keys(" ")
    t.resize(120, 30)
    t.mark("large")
    t.quit("q")


@scene("man")
def man(t):
    t.run("man", "--no-hyphenation", "printf", MANROFFOPT="", GROFF_NO_SGR="", MANPAGER="less -R")
    t.expect("PRINTF")
    t.keys(" ")
    t.keys("/octal\r")
    t.mark("search")
    t.quit("q")


@scene("tmux", 100, 30)
def tmux(t):
    t.run("tmux", "-f", "/dev/null", "new-session", "-s", "work", "bash --norc --noprofile")
    t.expect(r"work")
    t.keys("echo first pane\r", "first pane\r?\n")
    t.keys("\x02%")
    t.keys("\x02\"")
    t.keys("\x02:")
    t.keys("send-keys 'ls --color=always' Enter\r", "list")
    t.keys("\x02o")
    t.keys("seq 1 200\r", "200")
    t.keys("\x02[")
    t.keys("\x1b[5~")
    t.keys("\x00" + UP * 4)
    t.mark("copy")
    t.keys("\x1bw")
    t.keys("\x02]")
    t.keys("\x03")
    t.keys("\x02:")
    t.keys("resize-pane -R 10\r")
    t.keys("\x02c")
    t.keys("\x02,")
    t.keys("-logs\r", "logs")
    t.keys("\x02w")
    t.mark("tree")
    t.keys("q")
    t.keys("\x02:")
    t.quit("kill-server\r")


@scene("tmux-resize", 100, 30)
def tmux_resize(t):
    t.run("tmux", "-f", "/dev/null", "new-session", "-s", "size", "bash --norc --noprofile")
    t.expect(r"size")
    t.keys("\x02%")
    t.keys("seq -s ' ' 1 120\r", "120")
    t.resize(60, 20)
    t.resize(110, 32)
    t.mark("after")
    t.keys("\x02d", "detached")
    t.finish()


@scene("screen")
def screen(t):
    t.run("screen", "-c", "/dev/null", "bash", "--norc", "--noprofile", SCREENDIR=HOME + "/.screen")
    t.expect(r"\$ $")
    t.keys("ls --color=always\r", "list.c")
    t.keys("\x01S")
    t.keys("\x01\t\x01c")
    t.keys("seq 1 100\r", "100")
    t.keys("\x01[")
    t.keys("\x02")
    t.mark("copy")
    t.keys("\x1b")
    t.keys("\x01\"")
    t.mark("windows")
    t.keys("\x1b")
    t.keys("\x01\\y", "terminating")
    t.finish()


@scene("whiptail")
def whiptail(t):
    gauge = "for i in 0 10 25 40 55 70 85 100; do echo $i; sleep 0.05; done | whiptail --gauge 'Copying files' 7 50 0"
    script = f"""
whiptail --title Menu --menu 'What shall be done?' 16 60 6 a 'Add a thing' r 'Remove it' l 'List all' q Quit
whiptail --title Pick --checklist 'Take some' 15 50 5 one First on two Second off three Third off
whiptail --yesno 'Is this right?' 10 40
whiptail --inputbox 'Your name?' 10 40 demo
{gauge}
whiptail --msgbox 'All is done.' 8 30
"""
    t.run("sh", "-c", script)
    t.expect("What shall")
    t.keys(DOWN + DOWN)
    t.mark("menu")
    t.keys("\r", "Take some")
    t.keys(" " + DOWN + " ")
    t.mark("checklist")
    t.keys("\t\r", "right")
    t.keys(RIGHT)
    t.keys("\r", "name")
    t.keys("\x7f\x7fna")
    t.keys("\r", "All is done")
    t.mark("message")
    t.quit("\r")


@scene("dialog")
def dialog(t):
    script = """
dialog --colors --menu '\\Z1What\\Zn \\Zbshall\\Zn be done?' 16 60 6 a 'Add a thing' r 'Remove it' l 'List all'
dialog --checklist 'Take some' 15 50 5 one First on two Second off three Third off
dialog --form 'A form' 12 50 4 'Name:' 1 1 'demo' 1 10 20 30 'Town:' 2 1 '' 2 10 20 30
(for i in 5 20 45 60 75 90 100; do echo $i; sleep 0.05; done) | dialog --gauge 'Copying files' 8 50
dialog --calendar 'A day' 3 40 1 2 2026
dialog --fselect /usr/share/ 10 60
dialog --msgbox 'All is done.' 8 30
"""
    t.run("sh", "-c", script)
    t.expect("Remove it")
    t.keys(DOWN)
    t.mark("menu")
    t.keys("\r", "Second")
    t.keys(DOWN + " ")
    t.keys("\r", "Town")
    t.keys("one")
    t.keys("\r", "February|January")
    t.mark("calendar")
    t.keys("\r", "Directories")
    t.mark("files")
    t.keys("\r", "All is done")
    t.quit("\r")


@scene("git-log")
def git_log(t):
    t.run("git", "-c", "core.pager=less -RFX", "log", "--graph", "--color=always", "--decorate", "--stat", "--all")
    t.expect("commit")
    t.keys(" ")
    t.keys(" ")
    t.mark("second")
    t.quit("q")


@scene("git-oneline", 60, 15)
def git_oneline(t):
    t.run("git", "--no-pager", "log", "--graph", "--oneline", "--color=always", "--decorate", "--all")
    t.expect("Begin")
    t.finish()


@scene("git-diff")
def git_diff(t):
    t.run("git", "diff", "--color=always", "--word-diff=color", "HEAD~1", GIT_PAGER="cat")
    t.expect("diff")
    t.finish()


@scene("git-add-p")
def git_add_p(t):
    t.run("git", "-c", "color.ui=always", "add", "-p")
    t.expect(r"\?\]?\s*$|Stage this hunk")
    t.keys("?\r")
    t.keys("s\r")
    t.keys("y\r")
    t.mark("second")
    t.quit("n\r")


@scene("apt-install")
def apt_install(t):
    package = next(f for f in os.listdir(HOME) if f.endswith(".deb"))
    t.run("apt", "install", "--reinstall", "-y", "--allow-downgrades", "-o", "Dpkg::Progress-Fancy=1", "-o", "APT::Color=1",
          "-o", "Dpkg::Use-Pty=1", f"./{package}", root=True, cwd=HOME, DEBIAN_FRONTEND="noninteractive")
    t.expect("Processing|Setting up")
    t.finish(60)


@scene("apt-list", 120, 20)
def apt_list(t):
    t.bash()
    t.keys("apt list --installed 2>/dev/null | head -60\r", r"\$ $")
    t.keys("apt-cache policy hostname less\r", r"\$ $")
    t.keys("apt-cache show hostname | head -30\r", r"\$ $")
    t.quit("exit\r")


@scene("npm-install")
def npm_install(t):
    registry = Registry(pause=0.5)
    threading.Thread(target=registry.serve_forever, daemon=True).start()
    t.run("npm", "install", "--no-audit", "--no-fund", "--progress", "one", "two", "three", cwd=HOME + "/webapp",
          npm_config_registry=registry.url, npm_config_cache=HOME + "/.npm", npm_config_update_notifier="false")
    t.expect("added")
    t.finish()
    registry.shutdown()


@scene("cargo", 80, 20)
def cargo(t):
    t.bash(CARGO_HOME=HOME + "/.cargo", CARGO_TERM_PROGRESS_WHEN="always", CARGO_TERM_PROGRESS_WIDTH="80",
           CARGO_NET_OFFLINE="true")
    t.keys("cd ../crate && cargo build -j1\r", r"Finished[^$]*\$ $")
    t.keys("cargo run -q\r", r"Hello[^$]*\$ $")
    t.keys("echo 'fn main() { let x: u8 = 300; nothing(); }' > src/main.rs; cargo build\r", r"could not compile[^$]*\$ $")
    t.mark("errors")
    t.quit("exit\r")


@scene("progress")
def progress(t):
    t.run("python3", HOME + "/project/progress.py")
    t.expect("done")
    t.finish()


@scene("python")
def python(t):
    t.run("/usr/bin/python3", "-q", PYTHONHISTFILE="/dev/null")
    t.expect(">>> ")
    t.keys("import os, sys\r", ">>> ")
    t.keys("[x * x for x in range(40)]\r", ">>> ")
    t.keys("sys.set\t")
    t.keys("\t", "settrace")
    t.keys("\x15def f(x):\r", r"\.\.\. ")
    t.keys("    return 1 / x\r", r"\.\.\. ")
    t.keys("\r", ">>> ")
    t.keys("f(0)\r", "ZeroDivisionError")
    t.keys(UP + "\x02\x021\x06\x7f\x7f")
    t.keys("\x15'caf\u00e9 \u4e16\u754c ' * 20\r", ">>> ")
    t.keys(LEFT * 3 + "\x12ret")
    t.keys("\x07\x15help('len')\r", "len")
    t.press("q")
    t.quit("\x04")


@scene("bash", 60, 20)
def bash(t):
    prompt = r"\[\e[7m\] \t \[\e[0;33m\]\w \[\e[36m\](main)\[\e[0m\]\n\[\e[1;32m\]❯\[\e[0m\] "
    t.run("bash", "--norc", "--noprofile", "-i", PS1=prompt.replace(r"\t", "12:34"), INPUTRC=HOME + "/.inputrc")
    t.expect("❯ $")
    t.keys("ls -la --color=always /usr\r", "❯ $")
    t.keys("cat li\t")
    t.keys("\x15git re")
    t.keys("\t\t")
    t.keys("\x03", "❯ $")
    t.keys("echo this is a long line that has to wrap round the right edge of the window, and then some more")
    t.keys("\x01\x0b\x19\x02\x02\x02x")
    t.keys("\x15\x0b\x12cat")
    t.keys("\x07\x05\x15")
    t.keys("printf '%s\\n' {a..e}{1..9} | column -c 60\r", "❯ $")
    t.keys("for i in 1 2 3; do echo -e \"\\e[3${i}mrow $i\\e[0m\"; done\r", "row 3[^❯]*❯ $")
    t.resize(40, 20)
    t.keys("echo narrow\r", "narrow\r?\n")
    t.resize(90, 20)
    t.keys("echo wide\r", "wide\r?\n")
    t.mark("wide")
    t.keys("clear\r")
    t.quit("exit\r")


@scene("node")
def node(t):
    t.run("node", NODE_REPL_HISTORY="")
    t.expect("> ")
    t.keys("1 + 1\r", "2")
    t.keys("({ a: [1, 2, 'three'], b: new Map([[1, null]]), c: undefined, d: /re/g, e: Symbol('s') })\r", "Symbol")
    t.keys("process.ver")
    t.keys("\t")
    t.keys("\x15Math.")
    t.press("\t")  # one alone shows nothing
    t.keys("\t", "sqrt|trunc")
    t.keys("\x15function f() {\r", r"\.\.\. |\| ")
    t.keys("return 'ünï' }\r")
    t.keys("f()\r", "ünï")
    t.keys("throw new Error('on purpose')\r", "on purpose")
    t.quit(".exit\r")


@scene("nano")
def nano(t):
    t.run("nano", "-l", "list.c")
    t.expect("GNU nano")
    t.keys(DOWN * 6 + "typed text")
    t.keys("\x0b\x15\x15")
    t.keys("\x17node\r")
    t.keys("\x1bA" + DOWN * 2)
    t.mark("edit")
    t.keys("\x07", "help")
    t.keys("\x18")
    t.keys("\x18", "Save")
    t.quit("n")


@scene("mc", 100, 30)
def mc(t):
    t.run("mc", "-d", "/usr", HOME + "/project")
    t.expect("10Quit|Quit")
    t.keys(DOWN * 3)
    t.keys("\t" + DOWN)
    t.mark("panels")
    t.keys("\x1bOR")
    t.keys("\x1bOR")
    t.keys("\x1b[20~")
    t.keys(RIGHT + RIGHT + DOWN)
    t.mark("menu")
    t.keys("\x1b\x1b")
    t.keys("\x1b[18~", "Directory|directory")
    t.mark("dialog")
    t.keys("\x1b\x1b")
    t.keys("\x1b[21~")
    t.quit("\r")


@scene("emacs")
def emacs(t):
    t.run("emacs", "-nw", "-Q", "list.c", "--eval", "(setq make-backup-files nil)")
    t.expect("list.c")
    t.keys("\x13node")
    t.keys("\x13\x13")
    t.keys("\r\x1b<")
    t.keys("\x183")
    t.keys("\x18o\x16")
    t.keys("\x00" + "\x0e" * 5)
    t.mark("region")
    t.keys("\x1bxcalendar\r", "Su Mo")
    t.mark("calendar")
    t.quit("\x18\x03")


@scene("gdb-tui", 90, 30)
def gdb_tui(t):
    t.run("gdb", "-q", "-nx", "-tui", "-ex", "set confirm off", "-ex", "set debuginfod enabled off",
          "-ex", "set startup-with-shell off", "--args", "./list", "b", "a", "b")
    t.expect(r"\(gdb\)")
    t.keys("break insert\r", "Breakpoint 1")
    t.keys("run\r", "head=0x")
    t.keys("next\r")
    t.keys("next\r")
    t.keys("layout regs\r")
    t.mark("regs")
    t.keys("info locals\r", "at = ")
    t.keys("kill\r")
    t.quit("quit\r")


@scene("fzf")
def fzf(t):
    t.run("sh", "-c", "find /usr/share/doc -maxdepth 1 | sort | head -400 | fzf --multi --preview 'ls --color=always {}'")
    t.expect("400/400|400")
    t.keys("lib")
    t.keys("\t\t")
    t.keys("x")
    t.mark("filtered")
    t.keys("\x15" + UP * 3)
    t.quit("\x1b")


@scene("watch", 70, 18)
def watch(t):
    t.run("watch", "-d", "-c", "-n", "0.5", "date +%S.%N; ls --color=always -l")
    t.expect("Every 0.5s")
    t.settle(3, 2.2)
    t.mark("running")
    t.quit("\x03")


@scene("colours")
def colours(t):
    t.run("python3", HOME + "/project/chart.py")
    t.expect("end of line")
    t.finish()


@scene("wide-text")
def wide_text(t):
    t.bash()
    t.keys("cat wide.txt\r", r"\$ $")
    t.keys("tac wide.txt | tail -8\r", r"\$ $")
    t.resize(37, 24)
    t.keys("cat wide.txt\r", r"\$ $")
    t.resize(80, 24)
    t.quit("exit\r")


@scene("scrollback", 80, 10)
def scrollback(t):
    t.bash()
    t.keys("seq -f 'a numbered line, %g, of no great length' 1 300\r", r"300,[^$]*\$ $")
    t.keys("head -c 3000 long.txt\r", r"\$ $")
    t.keys("clear; echo after clear\r", r"after clear\s")
    t.keys("ls --color=always /usr/bin | head -200\r", r"\$ $")
    t.quit("exit\r")


@scene("vttest")
def vttest(t):
    """Every screen of the chapters on the cursor, on scrolling and attributes, and on insertion and deletion."""
    t.run("vttest")
    for chapter in "128":
        t.expect("Enter choice number")
        t.keys(f"{chapter}\r")
        for page in range(40):
            if "Enter choice number" in t.text():
                break
            t.mark(f"{chapter}-{page + 1}")
            t.keys("\r")
    t.quit("0\r")


def agent(t, *argv, wait, **extra):
    os.makedirs(HOME + "/hello", exist_ok=True)
    os.chown(HOME + "/hello", USER, USER)
    t.run(*argv, cwd=HOME + "/hello", **extra)
    t.expect(wait, 60)
    t.settle(1.0, 6)
    t.mark("first")


CLAUDE = "/opt/agents/claude-code/node_modules/@anthropic-ai/claude-code-linux-x64/claude"


@scene("claude-code-offline", 100, 30)
def claude_code_offline(t):
    if os.path.exists(HOME + "/.claude.json"):
        os.remove(HOME + "/.claude.json")
    agent(t, CLAUDE, wait="(?s)Unable.*settings")
    t.finish()


@scene("claude-code", 100, 30)
def claude_code(t):
    with open(HOME + "/.claude.json", "w") as file:
        file.write('{"hasCompletedOnboarding": true, "theme": "dark", "autoUpdates": false}')
    os.chown(HOME + "/.claude.json", USER, USER)
    agent(t, CLAUDE, wait="(?i)trust", DISABLE_AUTOUPDATER="1")
    t.keys(DOWN)
    t.keys(UP)
    t.keys("\r", most=6)
    t.mark("prompt")
    t.keys("/he", most=2)
    t.mark("commands")
    t.keys("\x03", most=2)
    t.quit("\x03\x03")


@scene("codex", 100, 30)
def codex(t):
    agent(t, "node", "/opt/agents/codex/node_modules/@openai/codex/bin/codex.js", wait="(?i)sign.?in")
    t.keys(DOWN)
    t.mark("moved")
    t.quit("\x03")


@scene("gemini-cli", 100, 30)
def gemini_cli(t):
    agent(t, "node", "/opt/agents/gemini-cli/node_modules/@google/gemini-cli/bundle/gemini.js", wait="(?i)trust|auth|gemini")
    t.keys(DOWN)
    t.mark("moved")
    t.keys("\r", most=6)
    t.mark("second")
    t.quit("\x03")


@scene("opencode", 100, 30)
def opencode(t):
    agent(t, "/opt/agents/opencode-ai/node_modules/opencode-linux-x64/bin/opencode", wait="(?i)ask|commands|opencode",
          OPENCODE_DISABLE_AUTOUPDATE="1")
    t.keys("hello there")
    t.mark("typed")
    t.keys("\x15")
    t.keys("\x10", most=2)
    t.mark("palette")
    t.keys("\x1b", most=2)
    t.quit("\x03")


def run_as_demo(command, cwd, **extra):
    subprocess.run(command, shell=True, check=True, cwd=cwd, env=ENV | extra, user=USER, group=USER, extra_groups=[],
                   stdout=subprocess.DEVNULL)


def build_home():
    """A home with a project under git, a crate, a web application, and the files the programs look at."""
    project = HOME + "/project"
    os.makedirs(project)
    for name in os.listdir(HERE + "/files"):
        shutil.copy(f"{HERE}/files/{name}", project)
    # vim moves the cursor before a mark without a width, which xterm.js then takes for a character (docs/vt.md).
    with open(HERE + "/files/wide.txt") as wide, open(project + "/text.txt", "w") as file:
        file.write(re.sub("[\U000E0020-\U000E007F]", "", wide.read()))
    with open(project + "/long.txt", "w") as file:
        for n in range(1, 401):
            file.write(f"line {n} " + " ".join(f"word{n * k % 97}" for k in range(1, 3 + n % 40)) + "\n")
    os.makedirs(HOME + "/crate/src")
    for n, name in enumerate(["alpha", "beta", "gamma"]):
        os.makedirs(f"{HOME}/crate/{name}/src")
        with open(f"{HOME}/crate/{name}/Cargo.toml", "w") as file:
            file.write(f'[package]\nname = "{name}"\nversion = "0.{n}.0"\nedition = "2021"\n')
        with open(f"{HOME}/crate/{name}/src/lib.rs", "w") as file:
            file.write(f"pub fn number() -> u32 {{ {n} }}\n")
    with open(HOME + "/crate/Cargo.toml", "w") as file:
        file.write('[package]\nname = "hello"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\n')
        file.write("".join(f'{name} = {{ path = "{name}" }}\n' for name in ["alpha", "beta", "gamma"]))
    with open(HOME + "/crate/src/main.rs", "w") as file:
        file.write('fn main() { println!("Hello, {}", alpha::number() + beta::number() + gamma::number()); }\n')
    os.makedirs(HOME + "/webapp")
    with open(HOME + "/webapp/package.json", "w") as file:
        file.write('{"name": "webapp", "version": "1.0.0", "private": true}\n')
    with open(HOME + "/.vimrc", "w") as file:
        file.write("syntax on\nset ruler laststatus=2 nomodeline background=dark\n")
    with open(HOME + "/.inputrc", "w") as file:
        file.write("set colored-stats on\nset colored-completion-prefix on\nset show-all-if-ambiguous on\n")
    subprocess.run(f"chown -R {USER}:{USER} {HOME}", shell=True, check=True)
    run_as_demo("cc -g -O0 -o list list.c", project)
    build_history(project)


def build_history(project):
    git = "git -c init.defaultBranch=main -c user.name='Demo Person' -c user.email=demo@example.org -c commit.gpgsign=false"
    steps = [
        f"{git} init -q && {git} add list.c && {git} commit -qm 'Begin with a list'",
        f"{git} checkout -q -b feature && {git} add wide.txt && {git} commit -qm 'Text from the wide world: 世界, émoji 🚀'",
        f"sed -i s/MOST/LONGEST/ list.c && {git} commit -qam 'A better name'",
        f"{git} checkout -q main && {git} add chart.py && {git} commit -qm 'A chart of colours'",
        f"{git} merge -q --no-ff -m 'Merge feature' feature && {git} tag v1.0",
        f"{git} add progress.py && {git} commit -qm 'Bars that move'",
        "sed -i 's/once/only once/; s/perror/fprintf/' list.c",
    ]
    for n, step in enumerate(steps):
        date = f"2026-01-0{n + 1}T10:00:00Z"
        run_as_demo(step, project, GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date)


def fetch_deb():
    """A package to install again: made from what is installed, since there is no network."""
    subprocess.run(["dpkg-repack", "hostname"], cwd=HOME, check=True, stdout=subprocess.DEVNULL, env=ENV)


def main():
    os.umask(0o022)
    build_home()
    fetch_deb()
    wanted = sys.argv[1:] or list(SCENES)
    failed = []
    for number, name in enumerate(wanted):
        cols, rows, play = SCENES[name]
        if name in ("claude-code", "codex", "gemini-cli", "opencode") and not os.path.exists("/opt/agents"):
            continue
        stage = Stage(cols, rows)
        try:
            play(stage)
            found = offences(stage.output)
            if found:
                raise Failed(f"not for a repository: {found}")
            stage.save(f"{HERE}/{name}.rec")
            print(f"[{number + 1}/{len(wanted)}] {name}: {len(stage.output)} bytes, {len(stage.events)} events", flush=True)
        except Failed as reason:
            failed.append(name)
            print(f"[{number + 1}/{len(wanted)}] {name}: FAILED: {reason}", flush=True)
            if stage.pid:
                os.kill(stage.pid, 9)
                os.waitpid(stage.pid, 0)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
