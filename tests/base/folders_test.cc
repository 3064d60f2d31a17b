// SPDX-License-Identifier: Apache-2.0
#include "base/folders.h"

#include <gtest/gtest.h>
#include <map>
#include <sys/stat.h>
#include <unistd.h>

#include "support/temp_dir.h"

namespace base {
namespace {

Result<Folders> find(const std::map<std::string, std::string>& environment) {
  return find_folders([&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

TEST(Folders, AreAllBelowTendHomeIfThatIsSet) {
  const auto folders = find({{"TEND_HOME", "/x/"}, {"HOME", "/home/me"}, {"XDG_RUNTIME_DIR", "/run/user/1"}});
  ASSERT_TRUE(folders);
  EXPECT_EQ("/x/run", folders->runtime);
  EXPECT_EQ("/x/state", folders->state);
  EXPECT_EQ("/x/config", folders->config);
}

TEST(Folders, FollowTheXdgVariables) {
  const auto folders = find({{"XDG_STATE_HOME", "/s"}, {"XDG_CONFIG_HOME", "/c"}, {"HOME", "/home/me"}});
  ASSERT_TRUE(folders);
  EXPECT_EQ("/s/tend/run", folders->runtime);
  EXPECT_EQ("/s/tend", folders->state);
  EXPECT_EQ("/c/tend", folders->config);
}

// That folder is removed when the user's last login ends, and sessions go on.
TEST(Folders, AreTheSameWithAndWithoutALogin) {
  const auto at_login = find({{"HOME", "/home/me"}, {"XDG_RUNTIME_DIR", "/run/user/1"}});
  const auto without = find({{"HOME", "/home/me"}});
  ASSERT_TRUE(at_login && without);
  EXPECT_EQ(without->runtime, at_login->runtime);
}

TEST(Folders, HaveDefaultsBelowTheHome) {
  const auto folders = find({{"HOME", "/home/me"}, {"XDG_STATE_HOME", "relative/is/ignored"}});
  ASSERT_TRUE(folders);
  EXPECT_EQ("/home/me/.local/state/tend/run", folders->runtime);
  EXPECT_EQ("/home/me/.local/state/tend", folders->state);
  EXPECT_EQ("/home/me/.config/tend", folders->config);
}

TEST(Folders, ThatCannotBeFoundAreAnError) {
  EXPECT_FALSE(find({}));
  EXPECT_FALSE(find({{"TEND_HOME", "not/absolute"}}));
}

TEST(PrivateFolder, IsMadeWithAllAboveItForTheUserAlone) {
  const support::TempDir dir;
  const std::string path = dir.file("a/b/c");
  ASSERT_TRUE(make_private_folder(path));
  struct stat seen{};
  ASSERT_EQ(0, ::stat(path.c_str(), &seen));
  EXPECT_EQ(0700U, seen.st_mode & 07777);
  EXPECT_TRUE(make_private_folder(path)) << "it may be there already";
}

TEST(PrivateFolder, ThatOthersMayEnterIsRefused) {
  const support::TempDir dir;
  const std::string path = dir.file("open");
  ASSERT_EQ(0, ::mkdir(path.c_str(), 0700));
  ASSERT_EQ(0, ::chmod(path.c_str(), 0755));
  const auto made = make_private_folder(path);
  ASSERT_FALSE(made);
  EXPECT_EQ(path + " is open to other users (chmod 700 " + path + ")", made.error().message());
}

TEST(PrivateFolder, IsNeverReachedThroughALink) {
  const support::TempDir dir;
  ASSERT_EQ(0, ::mkdir(dir.file("real").c_str(), 0700));
  ASSERT_EQ(0, ::symlink("real", dir.file("link").c_str()));
  EXPECT_FALSE(make_private_folder(dir.file("link")));
}

TEST(PrivateFolder, CannotBeMadeInsideAFile) {
  const support::TempDir dir;
  support::write_file(dir.file("file"), "");
  const auto made = make_private_folder(dir.file("file/inside"));
  ASSERT_FALSE(made);
  EXPECT_EQ("cannot make " + dir.file("file/inside") + ": Not a directory", made.error().message());
}

}  // namespace
}  // namespace base
