// The command line against a server: what it sends, and what it makes of the
// answers.

#include <gmock/gmock.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "layoutd/v1/compute.grpc.pb.h"
#include "layoutd/v1/field.grpc.pb.h"
#include "layoutd/v1/mask.grpc.pb.h"
#include "layoutd/v1/server.grpc.pb.h"
#include "tests/client/layoutctl_process.h"

namespace layoutd::client {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

constexpr char kExcerpt[] = "line 1, column 3: no name\n  x y\n    ^";

class FakeFields : public v1::FieldService::Service {
 public:
  grpc::Status DeleteField(grpc::ServerContext*,
                           const v1::DeleteFieldRequest* request,
                           google::protobuf::Empty*) override {
    deleted = request->name();
    return grpc::Status::OK;
  }

  grpc::Status FillField(grpc::ServerContext*,
                         const v1::FillFieldRequest* request,
                         v1::Field*) override {
    filled = request->value();
    return grpc::Status::OK;
  }

  // Sends the first half of a field, then nothing until the call is cancelled.
  grpc::Status ReadField(
      grpc::ServerContext* context, const v1::ReadFieldRequest*,
      grpc::ServerWriter<v1::ReadFieldResponse>* writer) override {
    v1::ReadFieldResponse response;
    v1::ReadFieldResponse::Header& header = *response.mutable_header();
    v1::Shape& shape =
        *header.mutable_field()->mutable_layout()->mutable_shape();
    shape.set_nv(2);
    shape.set_ni(1);
    shape.set_nj(1);
    shape.set_nh(1);
    header.mutable_type()->set_text("f64");
    header.set_total_bytes(16);
    writer->Write(response);
    response.set_data(std::string(8, '\0'));
    writer->Write(response);
    while (!context->IsCancelled()) std::this_thread::yield();
    return grpc::Status::CANCELLED;
  }

  std::string deleted;
  std::string filled;
};

class FakeMasks : public v1::MaskService::Service {
 public:
  grpc::Status GetMask(grpc::ServerContext*, const v1::GetMaskRequest*,
                       v1::Mask* mask) override {
    v1::Shape& shape = *mask->mutable_shape();
    shape.set_nv(3);
    shape.set_ni(1);
    shape.set_nj(1);
    shape.set_nh(2);
    return grpc::Status::OK;
  }
};

class FakeCompute : public v1::ComputeService::Service {
 public:
  // Knows two programs, "good" and "bad".
  grpc::Status Execute(grpc::ServerContext*, const v1::ExecuteRequest* request,
                       v1::ExecuteResponse* reply) override {
    if (request->program().text() == "good") {
      reply->add_fields()->set_name("fields/heat");
      reply->mutable_fields(0)->set_revision(3);
      if (request->profile()) *reply->mutable_profile() = Profile();
      return grpc::Status::OK;
    }
    return Refuse();
  }

  grpc::Status CompileProgram(grpc::ServerContext*,
                              const v1::CompileProgramRequest* request,
                              v1::CompileProgramResponse* reply) override {
    if (request->program().text() != "good") return Refuse();
    compiled = *request;
    v1::Signature& signature = *reply->mutable_signature();
    v1::Signature::FieldUse* field = signature.add_fields();
    field->set_name("fields/heat");
    v1::Layout& layout = *field->mutable_layout();
    layout.set_kind(v1::VIJFH);
    layout.mutable_type()->set_text("f64");
    layout.set_base_type("f64");
    layout.set_num_components(1);
    v1::Shape& shape = *layout.mutable_shape();
    shape.set_nv(1);
    shape.set_ni(2);
    shape.set_nj(2);
    shape.set_nh(5);
    field->set_written(true);
    field->set_created(true);
    signature.add_masks()->set_name("masks/ocean");
    *signature.mutable_masks(0)->mutable_shape() = shape;
    signature.mutable_masks(0)->set_active_columns(7);
    signature.add_results()->set_name("total");
    signature.mutable_results(0)->mutable_type()->set_text("f64");
    signature.add_warnings()->set_code("CAREFUL");
    v1::Estimate& estimate = *reply->mutable_estimate();
    *estimate.add_loops() = Loop();
    estimate.set_operations(40);
    estimate.set_read_bytes(160);
    estimate.set_written_bytes(56);
    estimate.set_peak_scratch_bytes(500);
    estimate.set_lasting_bytes(160);
    estimate.set_free_bytes(400);
    return grpc::Status::OK;
  }

  v1::CompileProgramRequest compiled;

 private:
  static v1::Loop Loop() {
    v1::Loop loop;
    loop.set_kind(v1::Loop::COLUMNS);
    loop.set_scope("ThreadPool > Thread");
    loop.set_masked(true);
    loop.set_points(20);
    loop.set_operations(40);
    loop.set_read_bytes(160);
    loop.set_written_bytes(56);
    return loop;
  }

  static v1::ExecutionProfile Profile() {
    v1::ExecutionProfile profile;
    v1::ExecutionProfile::LoopRun* run = profile.add_loops();
    *run->mutable_loop() = Loop();
    run->mutable_compile_time()->set_nanos(2'500'000);
    run->mutable_run_time()->set_nanos(54);
    run->set_num_threads(4);
    profile.mutable_run_time()->set_seconds(1);
    profile.set_peak_scratch_bytes(500);
    profile.set_moved_bytes(216);
    return profile;
  }

  static grpc::Status Refuse() {
    google::rpc::ErrorInfo info;
    info.set_reason("NO_NAME");
    google::rpc::Status details;
    details.add_details()->PackFrom(info);
    return grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, kExcerpt,
                        details.SerializeAsString());
  }
};

class FakeServer : public v1::ServerService::Service {
 public:
  grpc::Status GetServerInfo(grpc::ServerContext*,
                             const v1::GetServerInfoRequest*,
                             v1::ServerInfo* info) override {
    info->mutable_limits()->set_max_program_nodes(4096);
    info->mutable_limits()->set_max_message_bytes(1 << 24);
    return grpc::Status::OK;
  }
};

class LayoutctlCallTest : public ::testing::Test {
 protected:
  LayoutctlCallTest() {
    char name[] = "/tmp/layoutctl_call_test_XXXXXX";
    folder_ = mkdtemp(name);
    const std::string address = "unix:" + folder_ + "/socket";
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address, grpc::InsecureServerCredentials());
    builder.RegisterService(&fields_);
    builder.RegisterService(&masks_);
    builder.RegisterService(&compute_);
    builder.RegisterService(&info_);
    server_ = builder.BuildAndStart();
    setenv("LAYOUTD_TARGET", address.c_str(), 1);
  }
  ~LayoutctlCallTest() override {
    unsetenv("LAYOUTD_TARGET");
    server_->Shutdown();
    std::filesystem::remove_all(folder_);
  }

  // Stops a `get` with `signal` when its file has been begun.
  Outcome InterruptGet(const std::string& signal) {
    std::filesystem::create_directory(folder_ + "/out");
    return Shell("cd " + folder_ +
                 "/out; $LAYOUTCTL field get x x.npy & pid=$!\n"
                 "for k in $(seq 500); do\n"
                 "  [ -z \"$(ls -A)\" ] || break; sleep 0.02\n"
                 "done\n"
                 "ls -A; kill -" +
                 signal + " $pid; wait $pid");
  }

  std::string folder_;
  FakeFields fields_;
  FakeMasks masks_;
  FakeCompute compute_;
  FakeServer info_;
  std::unique_ptr<grpc::Server> server_;
};

TEST_F(LayoutctlCallTest, AnErrorIsOneLineWhereNobodyLooks) {
  const Outcome outcome = Layoutctl("run 'x y'");

  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.err,
            "error: INVALID_ARGUMENT NO_NAME: line 1, column 3: no name\n");
}

TEST_F(LayoutctlCallTest, JsonErrorsKeepTheWholeMessage) {
  const Outcome outcome = Layoutctl("--json run 'x y'");

  EXPECT_EQ(outcome.err,
            "error: INVALID_ARGUMENT NO_NAME: line 1, column 3: no name\n");
  const nlohmann::json error = nlohmann::json::parse(outcome.out)["error"];
  EXPECT_EQ(error["message"], kExcerpt);
}

TEST_F(LayoutctlCallTest, AnEstimateIsOneDocumentOfFixedKeys) {
  const Outcome outcome = Layoutctl("--json estimate good --bind t=ocean/temp");

  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(
      outcome.out,
      "{\"signature\": {\"fields\": {\"heat\": {\"layout\": \"VIJFH\", "
      "\"type\": \"f64\", \"base\": \"f64\", \"nv\": 1, \"ni\": 2, \"nj\": 2, "
      "\"nh\": 5, \"num_components\": 1, \"read\": false, \"written\": true, "
      "\"created\": true}}, \"masks\": {\"ocean\": {\"columns\": 20, "
      "\"active_columns\": 7}}, \"reductions\": {\"total\": {\"type\": "
      "\"f64\"}}, \"warnings\": [{\"code\": \"CAREFUL\", \"message\": "
      "\"\"}]}, \"estimate\": {\"kernels\": 1, \"loops\": [{\"kind\": "
      "\"columns\", \"scope\": \"ThreadPool > Thread\", \"masked\": true, "
      "\"points\": 20, \"operations\": 40, \"read_bytes\": 160, "
      "\"written_bytes\": 56, \"cache_hit\": false}], \"operations\": 40, "
      "\"read_bytes\": 160, \"written_bytes\": 56, \"copied_bytes\": 0, "
      "\"peak_scratch_bytes\": 500, \"lasting_bytes\": 160, \"free_bytes\": "
      "400, \"fits\": false, \"cache_hit\": false}}\n");
  EXPECT_EQ(compute_.compiled.bindings().at("t"), "fields/ocean/temp");
}

TEST_F(LayoutctlCallTest, AnEstimateIsReadable) {
  const Outcome outcome =
      Shell("echo good | tr -d '\\n' | $LAYOUTCTL estimate -");

  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "warning: CAREFUL: \n");
  EXPECT_EQ(outcome.out,
            "field   heat   f64  VIJFH (1, 2, 2, 5)  created\n"
            "mask    ocean       (2, 2, 5)           7 active\n"
            "result  total  f64\n"
            "\n"
            "LOOP             SCOPE                POINTS  OPERATIONS  READ  "
            "WRITTEN  KERNEL\n"
            "columns, masked  ThreadPool > Thread  20      40          160   "
            "56       new\n"
            "\n"
            "kernels       1\n"
            "operations    40\n"
            "read          160 bytes\n"
            "written       56 bytes\n"
            "copied        0 bytes\n"
            "peak scratch  500 bytes, does not fit into the 400 that are "
            "free\n"
            "lasting       160 bytes\n");
}

TEST_F(LayoutctlCallTest, AnEstimateFailsAsARunDoes) {
  const Outcome estimate = Layoutctl("--json estimate bad");

  EXPECT_EQ(estimate.exit_code, 1);
  const Outcome run = Layoutctl("--json run bad");
  EXPECT_EQ(estimate.out, run.out);
  EXPECT_EQ(estimate.err, run.err);
}

TEST_F(LayoutctlCallTest, AProfileFollowsTheResults) {
  EXPECT_EQ(Layoutctl("run good").out, "heat  revision 3\n");

  const Outcome outcome = Layoutctl("run good --profile");

  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out,
            "heat  revision 3\n"
            "\n"
            "LOOP             SCOPE                POINTS  OPERATIONS  READ  "
            "WRITTEN  KERNEL  COMPILE ms  RUN ms  GB/s  THREADS\n"
            "columns, masked  ThreadPool > Thread  20      40          160   "
            "56       new     2.500       0.000   4.00  4\n"
            "\n"
            "queue         0.000 ms\n"
            "plan          0.000 ms\n"
            "compile       0.000 ms\n"
            "run           1000.000 ms\n"
            "publish       0.000 ms\n"
            "peak scratch  500 bytes\n"
            "moved         216 bytes\n");
}

TEST_F(LayoutctlCallTest, AProfileInJsonIsNullUnlessItIsAskedFor) {
  const Outcome plain = Layoutctl("--json run good");
  EXPECT_TRUE(nlohmann::json::parse(plain.out).at("profile").is_null());

  const nlohmann::json profile =
      nlohmann::json::parse(Layoutctl("--json run good --profile").out)
          .at("profile");

  EXPECT_EQ(profile.at("loops")[0].at("kind"), "columns");
  EXPECT_EQ(profile.at("loops")[0].at("compile_seconds"), 0.0025);
  EXPECT_EQ(profile.at("loops")[0].at("num_threads"), 4);
  EXPECT_EQ(profile.at("queue_seconds"), 0.0);
  EXPECT_EQ(profile.at("run_seconds"), 1.0);
  EXPECT_EQ(profile.at("peak_scratch_bytes"), 500);
  EXPECT_EQ(profile.at("moved_bytes"), 216);
}

TEST_F(LayoutctlCallTest, InfinityAndNanAreValuesNotOptions) {
  for (const char* arguments :
       {"field fill x -inf", "field fill x -inf --json",
        "--json field fill x.u -inf", "field fill --json -- x -inf",
        "field fill x -- -inf"}) {
    fields_.filled.clear();
    EXPECT_EQ(Layoutctl(arguments).exit_code, 0) << arguments;
    EXPECT_EQ(fields_.filled, "-inf") << arguments;
  }
  EXPECT_EQ(Layoutctl("field fill x -nan").exit_code, 0);
  EXPECT_EQ(fields_.filled, "-nan");
}

TEST_F(LayoutctlCallTest, InfoShowsTheLimits) {
  const Outcome outcome = Layoutctl("info");

  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, ContainsRegex("max nodes +4096\n"));
  EXPECT_THAT(outcome.out, ContainsRegex("max message +16777216 bytes\n"));
}

TEST_F(LayoutctlCallTest, DeleteSaysWhatIsGone) {
  EXPECT_EQ(Layoutctl("field delete a/x").out, "a/x deleted\n");
  EXPECT_EQ(fields_.deleted, "fields/a/x");
  EXPECT_EQ(Layoutctl("field delete x --json").out, "{\"deleted\": \"x\"}\n");
}

TEST_F(LayoutctlCallTest, AMaskFromNumbersIsToldWhatAMaskTakes) {
  const std::string header =
      "{'descr': '<f8', 'fortran_order': True, 'shape': (1, 1, 1, 2), }\n";
  std::ofstream(folder_ + "/m.npy", std::ios::binary)
      << std::string("\x93NUMPY\1\0", 8) << static_cast<char>(header.size())
      << '\0' << header << std::string(16, '\0');

  const Outcome outcome = Layoutctl("mask set m --from " + folder_ + "/m.npy");

  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.err,
            "error: INVALID_ARGUMENT TYPE_MISMATCH: the file holds f64; the "
            "columns of a mask are bool or u8\n");
}

TEST_F(LayoutctlCallTest, AClosedStandardOutputIsAnErrorNotAConnection) {
  const Outcome outcome = Shell("$LAYOUTCTL info >&-");

  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("cannot write to standard output"));
  EXPECT_EQ(Shell("$LAYOUTCTL field delete x <&- >&- 2>&-").exit_code, 1);
  EXPECT_EQ(Shell("$LAYOUTCTL info <&-").exit_code, 0);
}

TEST_F(LayoutctlCallTest, ATerminatedGetLeavesNoFile) {
  const Outcome outcome = InterruptGet("TERM");

  EXPECT_EQ(outcome.exit_code, 143);
  EXPECT_THAT(outcome.out, ContainsRegex("^\\.x\\.npy\\..+\n"));
  EXPECT_THAT(outcome.err, HasSubstr("error: CANCELLED INTERRUPTED"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_ + "/out"));
}

}  // namespace
}  // namespace layoutd::client
