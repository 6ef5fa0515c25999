// Replays the fuzzers' corpus: the seeds, and all that was ever found.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/fuzz/fuzz_program.h"

namespace layoutd {
namespace {

void Replay(const std::string& folder, std::string (*fuzz)(absl::string_view)) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::string(LAYOUTD_CORPUS_DIR) + "/" + folder)) {
    paths.push_back(entry.path());
  }
  ASSERT_FALSE(paths.empty());
  std::sort(paths.begin(), paths.end());
  for (const std::filesystem::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)),
                            std::istreambuf_iterator<char>());
    EXPECT_EQ(fuzz(bytes), "") << path;
  }
}

TEST(CorpusTest, Texts) { Replay("text", FuzzText); }
TEST(CorpusTest, Graphs) { Replay("graph", FuzzGraph); }
TEST(CorpusTest, Messages) { Replay("proto", FuzzProto); }

// Without a fuzzer, a little of what one does.
TEST(CorpusTest, RandomBytesAreRefusedOrRun) {
  uint64_t state = 1;
  const auto next = [&state] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<char>(state >> 56);
  };
  for (int k = 0; k < 500; ++k) {
    std::string bytes(3 + static_cast<size_t>(k) % 40, '\0');
    for (char& byte : bytes) byte = next();
    if (k % 4 == 0) bytes[0] = bytes[1] = '\0';  // from an empty program
    ASSERT_EQ(FuzzGraph(bytes), "");
    ASSERT_EQ(FuzzText(bytes), "");
    ASSERT_EQ(FuzzProto(bytes), "");
  }
}

}  // namespace
}  // namespace layoutd
