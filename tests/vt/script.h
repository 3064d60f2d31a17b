// SPDX-License-Identifier: Apache-2.0
// Script: runs a .vt file (its language is described at the top of tests/vt/printing.vt). Every case also
// checks the snapshot law and feeding byte by byte, so that each feature is tested for those as well.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vt/screen.h"

namespace vt_test {

class Script {
 public:
  // What went wrong, each with file and line; empty when all went well.
  static std::vector<std::string> run(const std::string& path);

 private:
  struct Recorder final : vt::Sink {
    void reply(std::string_view bytes) override { replies += bytes; }
    void bell() override { bells++; }
    void clipboard_write(std::string_view selection, std::string_view data) override {
      (((clipboard += selection) += '=') += data) += ' ';
    }
    void clipboard_read(std::string_view selection) override { (clipboard += '?') += selection; }
    std::string replies;
    std::string clipboard;
    int bells = 0;
  };

  explicit Script(std::string path) : path_(std::move(path)) {}
  void start(vt::Size size);
  void finish();
  void execute(std::string_view statement);
  bool act(std::string_view command, const std::vector<std::string>& words);
  std::string look(std::string_view what, const std::vector<std::string>& words, size_t& used);
  std::string look_at_cell(std::string_view what, int x, int y);
  void fail(const std::string& message);

  std::string path_;
  int line_ = 0;
  size_t scrollback_ = 100;
  std::string case_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<vt::Screen> screen_;
  std::unique_ptr<vt::Screen> bytewise_;
  std::vector<std::string> failures_;
};

}  // namespace vt_test
