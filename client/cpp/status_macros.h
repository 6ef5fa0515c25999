#ifndef LAYOUTD_CLIENT_CPP_STATUS_MACROS_H_
#define LAYOUTD_CLIENT_CPP_STATUS_MACROS_H_

// The control-flow macros of the client, which sees nothing of the engine. For
// .cc files only: a header that users include must not define them.
//
//   RETURN_IF_ERROR(Check(x));
//   ASSIGN_OR_RETURN(v1::Field field, client.GetField(id));

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define RETURN_IF_ERROR(expr)                                         \
  do {                                                                \
    if (absl::Status client_status_ = (expr); !client_status_.ok()) { \
      return client_status_;                                          \
    }                                                                 \
  } while (false)

#define CLIENT_CONCAT_INNER_(a, b) a##b
#define CLIENT_CONCAT_(a, b) CLIENT_CONCAT_INNER_(a, b)
#define CLIENT_ASSIGN_OR_RETURN_(result, lhs, expr)    \
  auto result = (expr);                                \
  if (!result.ok()) return std::move(result).status(); \
  lhs = *std::move(result)
#define ASSIGN_OR_RETURN(lhs, ...)                                        \
  CLIENT_ASSIGN_OR_RETURN_(CLIENT_CONCAT_(client_result_, __LINE__), lhs, \
                           (__VA_ARGS__))

#endif  // LAYOUTD_CLIENT_CPP_STATUS_MACROS_H_
