#include "client/cpp/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace layoutd::client {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

namespace fs = std::filesystem;

// A fresh folder, removed with the test.
class OutputFileTest : public ::testing::Test {
 protected:
  OutputFileTest() {
    char name[] = "/tmp/file_test_XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~OutputFileTest() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const {
    return folder_ + "/" + name;
  }

  void Put(const std::string& name, const std::string& text) {
    std::ofstream(Path(name)) << text;
  }

  std::string Contents(const std::string& name) {
    std::stringstream text;
    text << std::ifstream(Path(name)).rdbuf();
    return text.str();
  }

  static void Write(const std::string& path, const std::string& text) {
    auto file = OutputFile::Create(path);
    ASSERT_TRUE(file.ok()) << file.status();
    ASSERT_TRUE((*file)->Write(text).ok());
    ASSERT_TRUE((*file)->Commit().ok());
  }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

  mode_t Mode(const std::string& name) const {
    struct stat info = {};
    stat(Path(name).c_str(), &info);
    return info.st_mode & 0777;
  }

  std::string folder_;
};

TEST_F(OutputFileTest, AFileBesideItIsNeverTouched) {
  Put("x.npy.part", "mine");

  Write(Path("x.npy"), "new");

  EXPECT_EQ(Contents("x.npy"), "new");
  EXPECT_EQ(Contents("x.npy.part"), "mine");
  EXPECT_THAT(Names(), UnorderedElementsAre("x.npy", "x.npy.part"));
}

TEST_F(OutputFileTest, TwoWritersOfOneFileDoNotMix) {
  auto first = OutputFile::Create(Path("x"));
  auto second = OutputFile::Create(Path("x"));
  ASSERT_TRUE((*first)->Write("first").ok());
  ASSERT_TRUE((*second)->Write("2").ok());

  ASSERT_TRUE((*first)->Commit().ok());
  EXPECT_EQ(Contents("x"), "first");
  ASSERT_TRUE((*second)->Commit().ok());
  EXPECT_EQ(Contents("x"), "2");
  EXPECT_THAT(Names(), ElementsAre("x"));
}

TEST_F(OutputFileTest, WithoutCommitNothingIsLeft) {
  {
    auto file = OutputFile::Create(Path("x"));
    ASSERT_TRUE((*file)->Write("half").ok());
    EXPECT_EQ(Names().size(), 1u);
  }
  EXPECT_THAT(Names(), ElementsAre());
}

TEST_F(OutputFileTest, ALinkIsFollowedAndStaysALink) {
  fs::create_directory(Path("data"));
  Put("data/x", "old");
  fs::create_symlink("data/x", Path("link"));

  Write(Path("link"), "new");

  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_EQ(Contents("data/x"), "new");
}

TEST_F(OutputFileTest, PermissionsAreTheMasksOrTheOldFiles) {
  const mode_t mask = umask(027);
  Write(Path("new"), "");
  umask(mask);
  Put("old", "");
  chmod(Path("old").c_str(), 0600);
  Write(Path("old"), "");

  EXPECT_EQ(Mode("new"), 0640u);
  EXPECT_EQ(Mode("old"), 0600u);
}

TEST_F(OutputFileTest, TheLongestNameCanBeWritten) {
  const std::string name(255, 'x');
  Write(Path(name), "new");
  EXPECT_EQ(Contents(name), "new");
}

TEST_F(OutputFileTest, AMissingFolderIsNotFound) {
  EXPECT_EQ(OutputFile::Create(Path("no/x")).status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace layoutd::client
