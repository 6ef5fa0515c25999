#ifndef LAYOUTD_TESTS_SUPPORT_STATUS_MATCHERS_H_
#define LAYOUTD_TESTS_SUPPORT_STATUS_MATCHERS_H_

// Matchers for absl::Status and StatusOr, which Debian's Abseil lacks.
//
//   ASSERT_OK_AND_ASSIGN(Layout layout, MakeLayout());
//   EXPECT_THAT(Check(x), IsError(absl::StatusCode::kNotFound,
//   "NAME_NOT_FOUND",
//                                 HasSubstr("temp")));

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/base/error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace layoutd {

inline const absl::Status& StatusOf(const absl::Status& status) {
  return status;
}
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& result) {
  return result.status();
}

MATCHER(IsOk, "is OK") {
  *result_listener << StatusOf(arg).ToString();
  return StatusOf(arg).ok();
}

// Matches a status of `code` whose reason (see engine/base/error.h) is `reason`
// and whose message matches `message`.
MATCHER_P3(IsError, code, reason, message, "is that error") {
  const absl::Status& status = StatusOf(arg);
  *result_listener << status.ToString();
  return status.code() == code && DetailOf(status).reason == reason &&
         testing::ExplainMatchResult(message, std::string(status.message()),
                                     result_listener);
}

}  // namespace layoutd

#define EXPECT_OK(expr) EXPECT_THAT(expr, layoutd::IsOk())
#define ASSERT_OK(expr) ASSERT_THAT(expr, layoutd::IsOk())
#define LAYOUTD_TEST_CONCAT_INNER_(a, b) a##b
#define LAYOUTD_TEST_CONCAT_(a, b) LAYOUTD_TEST_CONCAT_INNER_(a, b)
#define LAYOUTD_ASSERT_OK_AND_ASSIGN_(result, lhs, ...) \
  auto result = (__VA_ARGS__);                          \
  ASSERT_TRUE(result.ok()) << result.status();          \
  lhs = *std::move(result)
#define ASSERT_OK_AND_ASSIGN(lhs, ...) \
  LAYOUTD_ASSERT_OK_AND_ASSIGN_(       \
      LAYOUTD_TEST_CONCAT_(layoutd_test_result_, __LINE__), lhs, __VA_ARGS__)

#endif  // LAYOUTD_TESTS_SUPPORT_STATUS_MATCHERS_H_
