#include "tests/cases/program_case.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

bool IsSame(double got, double want, double within) {
  if (within > 0) return std::abs(got - want) <= within;
  return SameBits(Scalar::F64(got), Scalar::F64(want));
}

}  // namespace

void PrintTo(const ProgramCase& c, std::ostream* stream) {
  *stream << c.program;
}

void RunCase(const ProgramCase& c) {
  ProgramWorld world;
  c.fields(world);

  const absl::Status status = world.Run(c.program);

  if (c.error_reason.empty()) {
    ASSERT_OK(status);
  } else {
    EXPECT_EQ(DetailOf(status).reason, c.error_reason) << status;
    for (const std::string& part : c.error_mentions) {
      EXPECT_THAT(std::string(status.message()), testing::HasSubstr(part));
    }
  }
  for (const Want& want : c.wants) {
    SCOPED_TRACE(want.name);
    EXPECT_EQ(world.TypeOf(want.name), ValueType::Parse(want.type).value());
    const std::vector<double> got = world.Values(want.name);
    ASSERT_EQ(got.size(), want.values.size());
    for (size_t k = 0; k < got.size(); ++k) {
      EXPECT_TRUE(IsSame(got[k], want.values[k], want.within))
          << "leaf " << k << ": got " << absl::StrCat(got[k]) << ", want "
          << absl::StrCat(want.values[k]);
    }
  }
}

}  // namespace layoutd
