#ifndef LAYOUTD_SERVER_ENCODE_COST_H_
#define LAYOUTD_SERVER_ENCODE_COST_H_

// What a program would cost, and what a run took, to answers.

#include "engine/engine.h"
#include "layoutd/v1/compute.pb.h"

namespace layoutd {

// Each overwrites all of `*encoded`.
void EncodeCompileReply(const CompileReply& reply,
                        v1::CompileProgramResponse* encoded);
void EncodeProfile(const ExecutionProfile& profile,
                   v1::ExecutionProfile* encoded);

}  // namespace layoutd

#endif  // LAYOUTD_SERVER_ENCODE_COST_H_
