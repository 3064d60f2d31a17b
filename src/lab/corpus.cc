// SPDX-License-Identifier: Apache-2.0
#include "lab/corpus.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "lab/corpus_run.h"

namespace lab {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostAtTheStart = 100'000;
constexpr size_t kMostAtTheEnd = 30'000;

base::Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return base::fail(base::Code::invalid_param, 0, "cannot read '" + path + "'");
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::string save(const std::string& path, Recording recording) {
  cut_middle(recording, kMostAtTheStart, kMostAtTheEnd);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << write_recording(recording);
  file.close();
  return file ? "" : "cannot write '" + path + "'";
}

CorpusResult run_live(const CorpusOptions& options, const CorpusCase& what) {
  LiveRun run = run_case(what, options.folder + "/files", options.stop);
  CorpusResult result{what, run.missing, run.failed, {}};
  if (!result.counts()) return result;
  result.judgement = judge(what, run.recording, run.observed);
  if (options.record) result.failed = save(recording_path(options.folder, what), std::move(run.recording));
  return result;
}

}  // namespace

std::string recording_path(const std::string& folder, const CorpusCase& what) {
  return folder + "/" + what.name + ".watch";
}

base::Result<std::vector<CorpusCase>> load_cases(const std::string& folder) {
  std::vector<CorpusCase> cases;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".yaml") continue;
    auto text = read_file(entry.path());
    if (!text) return base::fail(text);
    auto parsed = parse_case(*text, entry.path().stem());
    if (!parsed) {
      parsed.error().what = entry.path().filename().string() + ": " + parsed.error().what;
      return base::fail(parsed);
    }
    cases.push_back(std::move(*parsed));
  }
  if (error)
    return base::fail(base::Code::invalid_param, error.value(), "cannot read the folder '" + folder + "'");
  if (cases.empty())
    return base::fail(base::Code::invalid_param, 0, "there are no cases in '" + folder + "'");
  std::sort(cases.begin(), cases.end(),
            [](const CorpusCase& a, const CorpusCase& b) { return a.name < b.name; });
  return cases;
}

CorpusResult replay_case(const std::string& folder, const CorpusCase& what,
                         const detect::Patterns& patterns) {
  CorpusResult result{what, {}, {}, {}};
  const auto text = read_file(recording_path(folder, what));
  if (!text) {
    result.failed = "there is no recording";
    return result;
  }
  const auto recording = parse_recording(*text);
  if (!recording) {
    result.failed = recording.error().message();
    return result;
  }
  result.judgement = judge(what, *recording, replay(*recording, patterns));
  return result;
}

base::Result<std::vector<CorpusResult>> run_corpus(const CorpusOptions& options,
                                                   const std::function<void(const CorpusResult&)>& done) {
  auto cases = load_cases(options.folder);
  if (!cases) return base::fail(cases);
  const auto named = [&](const CorpusCase& each) {
    return options.only.empty() ||
           std::find(options.only.begin(), options.only.end(), each.name) != options.only.end();
  };
  for (const std::string& name : options.only) {
    if (std::none_of(cases->begin(), cases->end(), [&](const CorpusCase& each) { return each.name == name; }))
      return base::fail(base::Code::invalid_param, 0, "there is no case '" + name + "'");
  }
  const detect::Patterns patterns;
  std::vector<CorpusResult> results;
  for (const CorpusCase& each : *cases) {
    if (!named(each)) continue;
    results.push_back(options.live ? run_live(options, each) : replay_case(options.folder, each, patterns));
    done(results.back());
  }
  return results;
}

}  // namespace lab
