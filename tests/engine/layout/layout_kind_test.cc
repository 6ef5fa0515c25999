#include "engine/layout/layout_kind.h"

#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr LayoutKind kAll[] = {
    LayoutKind::kDataF, LayoutKind::kVIJH,  LayoutKind::kFVIJH,
    LayoutKind::kVFIJH, LayoutKind::kVIFJH, LayoutKind::kVIJFH,
    LayoutKind::kVIJHF, LayoutKind::kVIH1,  LayoutKind::kIH1JH2};

TEST(LayoutKindTest, NamesRoundTrip) {
  for (LayoutKind kind : kAll) {
    ASSERT_OK_AND_ASSIGN(const LayoutName parsed, ParseLayoutName(Name(kind)));
    EXPECT_EQ(parsed.kind, kind);
    EXPECT_EQ(parsed.absent_axes, "");
  }
}

TEST(LayoutKindTest, OldNamesStandForAKindWithoutSomeAxes) {
  struct Case {
    const char* name;
    LayoutKind kind;
    const char* absent;
  };
  for (const Case& c : {Case{"VF", LayoutKind::kVIJFH, "ijh"},
                        Case{"IF", LayoutKind::kVIJFH, "vjh"},
                        Case{"IJF", LayoutKind::kVIJFH, "vh"},
                        Case{"IJFH", LayoutKind::kVIJFH, "v"},
                        Case{"IJHF", LayoutKind::kVIJHF, "v"},
                        Case{"VIFH", LayoutKind::kVIJFH, "j"},
                        Case{"VIHF", LayoutKind::kVIJHF, "j"},
                        Case{"IFH", LayoutKind::kVIJFH, "vj"},
                        Case{"IHF", LayoutKind::kVIJHF, "vj"}}) {
    ASSERT_OK_AND_ASSIGN(const LayoutName parsed, ParseLayoutName(c.name));
    EXPECT_EQ(parsed.kind, c.kind) << c.name;
    EXPECT_EQ(parsed.absent_axes, c.absent) << c.name;
  }
}

TEST(LayoutKindTest, UnknownNamesListTheKnownOnes) {
  for (const char* name : {"", "vijfh", "VIJFHX", "\xff"}) {
    EXPECT_THAT(ParseLayoutName(name),
                IsError(kInvalid, "UNKNOWN_LAYOUT",
                        HasSubstr("known are DataF, VIJH, FVIJH")));
  }
}

TEST(LayoutKindTest, FStandsWhereTheNameSays) {
  EXPECT_THAT(FDim(LayoutKind::kFVIJH), Optional(1));
  EXPECT_THAT(FDim(LayoutKind::kVIJFH), Optional(4));
  EXPECT_THAT(FDim(LayoutKind::kVIJHF), Optional(5));
  EXPECT_EQ(FDim(LayoutKind::kVIJH), std::nullopt);
  EXPECT_EQ(FDim(LayoutKind::kIH1JH2), std::nullopt);
}

TEST(LayoutKindTest, OnlyDataFGoesWithEveryFamily) {
  EXPECT_EQ(*CombineFamilies(LayoutFamily::kDataF, LayoutFamily::kVIH1),
            LayoutFamily::kVIH1);
  EXPECT_EQ(*CombineFamilies(LayoutFamily::kVIJH, LayoutFamily::kDataF),
            LayoutFamily::kVIJH);
  EXPECT_THAT(CombineFamilies(LayoutFamily::kVIJH, LayoutFamily::kVIH1),
              IsError(kInvalid, "LAYOUT_MISMATCH", HasSubstr("VIJH and VIH1")));
  EXPECT_THAT(CombineFamilies(LayoutFamily::kIH1JH2, LayoutFamily::kVIH1),
              IsError(kInvalid, "LAYOUT_MISMATCH", testing::_));
}

}  // namespace
}  // namespace layoutd
