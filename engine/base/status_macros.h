#ifndef LAYOUTD_ENGINE_BASE_STATUS_MACROS_H_
#define LAYOUTD_ENGINE_BASE_STATUS_MACROS_H_

// The only control-flow macros of the code base, and the check for programmer
// errors.
//
//   RETURN_IF_ERROR(Check(x));
//   ASSIGN_OR_RETURN(Layout layout, MakeLayout(x));

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define RETURN_IF_ERROR(expr)                                           \
  do {                                                                  \
    if (absl::Status layoutd_status_ = (expr); !layoutd_status_.ok()) { \
      return layoutd_status_;                                           \
    }                                                                   \
  } while (false)

#define LAYOUTD_CONCAT_INNER_(a, b) a##b
#define LAYOUTD_CONCAT_(a, b) LAYOUTD_CONCAT_INNER_(a, b)
#define LAYOUTD_ASSIGN_OR_RETURN_(result, lhs, expr)   \
  auto result = (expr);                                \
  if (!result.ok()) return std::move(result).status(); \
  lhs = *std::move(result)
#define ASSIGN_OR_RETURN(lhs, ...)                                           \
  LAYOUTD_ASSIGN_OR_RETURN_(LAYOUTD_CONCAT_(layoutd_result_, __LINE__), lhs, \
                            (__VA_ARGS__))

// Stops the process when `cond` is false: a bug in layoutd, never in a request.
// Compiled out of release builds.
#ifdef NDEBUG
#define LAYOUTD_DCHECK(cond) \
  do {                       \
    if (false) (void)(cond); \
  } while (false)
#else
#define LAYOUTD_DCHECK(cond)                                                \
  do {                                                                      \
    if (!(cond)) {                                                          \
      std::fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, \
                   #cond);                                                  \
      std::abort();                                                         \
    }                                                                       \
  } while (false)
#endif

#endif  // LAYOUTD_ENGINE_BASE_STATUS_MACROS_H_
