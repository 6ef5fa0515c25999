#ifndef LAYOUTD_CLIENT_CPP_LAYOUTCTL_DESCRIBE_COST_H_
#define LAYOUTD_CLIENT_CPP_LAYOUTCTL_DESCRIBE_COST_H_

// What a program would cost and what a run took, as layoutctl shows them: JSON
// in a fixed form, tables for people.

#include <string>
#include <vector>

#include "client/cpp/json.h"
#include "client/cpp/layoutctl/print.h"
#include "layoutd/v1/compute.pb.h"

namespace layoutd::client {

// [{code, message}]
void WriteWarningsJson(const Warnings& warnings, JsonWriter& json);

// {signature: {fields: {ID: {layout, type, base, nv, ni, nj, nh,
//                            num_components, read, written, created}},
//              masks: {ID: {columns, active_columns}},
//              reductions: {NAME: {type}}, warnings},
//  estimate: {kernels, loops: [{kind, scope, masked, points, operations,
//                               read_bytes, written_bytes, cache_hit}],
//             operations, read_bytes, written_bytes, copied_bytes,
//             peak_scratch_bytes, lasting_bytes, free_bytes, fits, cache_hit}}
std::string EstimateJson(const v1::CompileProgramResponse& answer);

// {loops: [as above, and compile_seconds, run_seconds, num_threads],
//  queue_seconds, plan_seconds, compile_seconds, run_seconds, publish_seconds,
//  peak_scratch_bytes, moved_bytes}
void WriteProfileJson(const v1::ExecutionProfile& profile, JsonWriter& json);

// Empty tables are left out.
std::vector<Table> EstimateTables(const v1::CompileProgramResponse& answer);
std::vector<Table> ProfileTables(const v1::ExecutionProfile& profile);

}  // namespace layoutd::client

#endif  // LAYOUTD_CLIENT_CPP_LAYOUTCTL_DESCRIBE_COST_H_
