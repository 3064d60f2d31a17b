// SPDX-License-Identifier: Apache-2.0
#include "lab/corpus_run.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strings.h"

namespace lab {
namespace {

namespace fs = std::filesystem;
using Kind = RecordedEvent::Kind;
using base::Duration;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kSetup = seconds(60);
constexpr Duration kStep = seconds(30);
constexpr Duration kStillBefore = milliseconds(30);  // a person types behind what is shown

// A folder whose name says nothing about the machine, gone with the object.
class Scratch {
 public:
  explicit Scratch(const std::string& files) {
    std::string name = "/tmp/demo-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) return;
    path_ = name;
    std::error_code error;
    // Programs may run as somebody else.
    ::chmod(path_.c_str(), 0755);
    for (const char* each : {"home", "work"}) fs::create_directory(path_ / each, error);
    if (!files.empty()) fs::create_directory_symlink(fs::absolute(files), path_ / "files", error);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }

  bool there() const { return !path_.empty(); }
  std::string home() const { return path_ / "home"; }
  std::string work() const { return path_ / "work"; }

 private:
  fs::path path_;
};

bool on_path(const std::string& command) {
  const char* path = std::getenv("PATH");
  for (const std::string_view folder : base::split(path != nullptr ? path : "/usr/bin:/bin", ':')) {
    if (::access((std::string(folder) + "/" + command).c_str(), X_OK) == 0) return true;
  }
  for (const char* folder : {"/usr/sbin/", "/sbin/"}) {
    if (::access((folder + command).c_str(), X_OK) == 0) return true;
  }
  return false;
}

// "root", a variable that must name a folder as "$AGENTS", or a command.
std::string first_missing(const CorpusCase& what) {
  for (const std::string& each : what.needs) {
    if (each == "root"          ? ::geteuid() == 0
        : each.starts_with('$') ? std::getenv(each.c_str() + 1) != nullptr
                                : on_path(each))
      continue;
    return each;
  }
  return {};
}

Program program_of(const CorpusCase& what, const Scratch& scratch) {
  const char* path = std::getenv("PATH");
  Program program{.argv = what.argv, .env = {}, .cwd = scratch.work(), .size = what.size};
  program.env = {"HOME=" + scratch.home(),
                 "USER=demo",
                 "LOGNAME=demo",
                 "HOSTNAME=demo",
                 "PS1=demo$ ",
                 "HISTFILE=",
                 "LESSHISTFILE=-",
                 fmt::format("PATH={}:/usr/sbin:/sbin", path != nullptr ? path : "/usr/bin:/bin")};
  for (const std::string& need : what.needs)
    if (need.starts_with('$')) program.env.push_back(need.substr(1) + "=" + std::getenv(need.c_str() + 1));
  program.env.insert(program.env.end(), what.env.begin(), what.env.end());
  return program;
}

// What went wrong, empty if nothing did.
std::string run_script(const CorpusCase& what, const Scratch& scratch, const std::string& script, int stop) {
  if (script.empty()) return {};
  Program program = program_of(what, scratch);
  program.argv = {"/bin/sh", "-e", "-c", script};
  auto stage = Stage::open(program, {.stop = stop});
  if (!stage) return stage.error().message();
  (*stage)->run_until([&] { return (*stage)->ended().has_value(); }, kSetup);
  const auto& ended = (*stage)->ended();
  if (ended && ended->code == 0) return {};
  return fmt::format("setup: {}", ended ? (*stage)->text() : "no end");
}

class Watch {
 public:
  Watch(const CorpusCase& what, Stage& stage, Recorder& recorder)
      : what_(what), stage_(stage), recorder_(recorder) {}

  std::string go() {
    for (const CorpusStep& step : what_.steps) {
      if (auto failed = take(step); !failed.empty()) return failed;
    }
    recorder_.add(Kind::point, stage_.now());
    const detect::State truth = what_.truth.state;
    const auto arrived = [&] {
      if (stage_.ended()) return true;
      return truth == detect::State::waiting ? stage_.detector().asked().has_value()
                                             : stage_.detector().state() == truth;
    };
    stage_.run_until(arrived, what_.within);
    stage_.run_for(what_.hold);
    if (stage_.ended()) return fmt::format("it ended: {}", last_words());
    return {};
  }

 private:
  std::string take(const CorpusStep& step) {
    if (!step.wait.empty()) {
      const bool came = stage_.run_until([&] { return stage_.shows(step.wait) || stage_.ended(); }, kStep);
      if (!came || stage_.ended()) return fmt::format("never showed '{}': {}", step.wait, last_words());
    }
    stage_.run_for(std::max(step.pause, kStillBefore));
    if (!step.type.empty()) stage_.type(step.type);
    return {};
  }

  std::string last_words() const {
    const std::string text = stage_.text();
    return base::printable(text.substr(text.size() - std::min<size_t>(text.size(), 300)), 300);
  }

  const CorpusCase& what_;
  Stage& stage_;
  Recorder& recorder_;
};

}  // namespace

LiveRun run_case(const CorpusCase& what, const std::string& files, int stop) {
  LiveRun run;
  run.missing = first_missing(what);
  if (!run.missing.empty()) return run;
  const Scratch scratch(files);
  if (!scratch.there()) {
    run.failed = "cannot make a folder";
    return run;
  }
  run.failed = run_script(what, scratch, what.setup, stop);
  if (run.failed.empty()) {
    Recorder recorder(what.size);
    auto stage = Stage::open(program_of(what, scratch), {.observer = &recorder, .stop = stop});
    if (stage) {
      run.failed = Watch(what, **stage, recorder).go();
      recorder.add(Kind::end, (*stage)->now());
      const detect::Detector& detector = (*stage)->detector();
      run.observed = {{}, detector.state(), detector.asked(), detector.why()};
      for (const Happening& each : (*stage)->happenings())
        run.observed.said.push_back({each.at - recorder.start(), each.change});
      run.recording = recorder.recording();
    } else {
      run.failed = stage.error().message();
    }
  }
  (void)run_script(what, scratch, what.teardown, stop);
  return run;
}

}  // namespace lab
