// SPDX-License-Identifier: Apache-2.0
// embed FOLDER OUTPUT: writes a source file with every file of the folder as compressed bytes. Runs during
// the build only.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>
#include <zlib.h>

namespace {

namespace fs = std::filesystem;

std::string type_of(const std::string& extension) {
  static const std::map<std::string, std::string> kTypes = {{".css", "text/css; charset=utf-8"},
                                                            {".html", "text/html; charset=utf-8"},
                                                            {".ico", "image/x-icon"},
                                                            {".js", "text/javascript; charset=utf-8"},
                                                            {".json", "application/json"},
                                                            {".map", "application/json"},
                                                            {".png", "image/png"},
                                                            {".svg", "image/svg+xml"},
                                                            {".txt", "text/plain; charset=utf-8"},
                                                            {".wasm", "application/wasm"},
                                                            {".webmanifest", "application/manifest+json"},
                                                            {".woff2", "font/woff2"}};
  const auto found = kTypes.find(extension);
  return found != kTypes.end() ? found->second : "application/octet-stream";
}

// 64 bits of FNV-1a: two files of one name that are served one after the other differ in it.
uint64_t hash_of(const std::string& bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// Without a time or a name in it, so that the same files make the same program.
std::string gzip(const std::string& bytes) {
  constexpr int kGzip = 16 + MAX_WBITS;
  z_stream stream{};
  if (::deflateInit2(&stream, 9, Z_DEFLATED, kGzip, 9, Z_DEFAULT_STRATEGY) != Z_OK) std::abort();
  std::string packed(::deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  if (::deflate(&stream, Z_FINISH) != Z_STREAM_END) std::abort();
  packed.resize(stream.total_out);
  ::deflateEnd(&stream);
  return packed;
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const fs::path folder(argv[1]);
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) names.push_back(entry.path().lexically_relative(folder).generic_string());
  std::ranges::sort(names);
  std::string source = "#include <array>\n\n#include \"web/assets.h\"\n\nnamespace web {\nnamespace {\n\n";
  std::string table;
  for (size_t i = 0; i < names.size(); i++) {
    const std::string bytes = read_file(folder / names[i]);
    const std::string packed = gzip(bytes);
    source += fmt::format("constexpr unsigned char kFile{}[] = {{", i);
    for (size_t at = 0; at < packed.size(); at++)
      source += fmt::format("{}{},", at % 24 == 0 ? "\n" : "", static_cast<unsigned char>(packed[at]));
    source += "\n};\n";
    table += fmt::format(
        "    {{\"/{}\", \"{}\", \"\\\"{:016x}\\\"\", {{reinterpret_cast<const char*>(kFile{}), {}}}, {}}},\n",
        names[i], type_of(fs::path(names[i]).extension().string()), hash_of(bytes), i, packed.size(),
        bytes.size());
  }
  source += fmt::format(
      "\n}}  // namespace\n\nstd::span<const Asset> assets() {{\n  static const std::array<Asset, {}> kAll = "
      "{{{{\n{}  }}}};\n"
      "  return kAll;\n}}\n\n}}  // namespace web\n",
      names.size(), table);
  std::ofstream(argv[2], std::ios::binary) << source;
  return names.empty() ? 1 : 0;
}
