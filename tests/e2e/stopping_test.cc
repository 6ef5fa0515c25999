// A long program on a real server: it stops soon after its client cancels, its
// deadline passes or its connection breaks, and publishes nothing; and short
// programs of others do not wait for it.
//
// The long programs would take many seconds on any machine; no test waits for
// one. A program has stopped when the memory it works in is given back. The
// times are printed; the bound is on their median, as a machine that tests
// share may hold up any single round.

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "grpcpp/create_channel_posix.h"
#include "gtest/gtest.h"
#include "server/listen_address.h"
#include "tests/e2e/live_server.h"

namespace layoutd {
namespace {

using Clock = std::chrono::system_clock;  // the clock of deadlines
using std::chrono::milliseconds;

constexpr int kNumRounds = 10;
constexpr double kBoundMs = 50;

double MsSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin)
      .count();
}

// Returns exp(-exp(-...x)) of `n` exps.
std::string Exps(const std::string& x, int n) {
  std::string tower = x;
  for (int k = 0; k < n; ++k) tower = absl::StrCat("exp(-", tower, ")");
  return tower;
}

// A program of some 4e9 exps and more, and fields in place of its own with
// which it takes no time but compiles to the same kernels.
struct LongProgram {
  const char* name;
  std::string text;
  std::map<std::string, std::string> short_bindings;
};

LongProgram Points() {
  std::string text;
  for (int k = 0; k < 30; ++k) {
    absl::StrAppend(&text, "big = ", Exps("big", 60), "\n");
  }
  return {"points", text, {{"big", "few"}}};
}

// 2^20 levels in each of a few columns: an item takes seconds.
LongProgram Columns() {
  return {"columns",
          absl::StrCat("foreach column { folds = fold(+, ",
                       Exps("levels * columns", 60), ") }"),
          {{"levels", "few_levels"}}};
}

LongProgram Reduction() {
  return {"reduction",
          absl::StrCat("reduce { total = sum(",
                       Exps("levels * many_columns", 60), ") }"),
          {{"levels", "few_levels"}, {"many_columns", "columns"}}};
}

class StoppingTest : public testing::TestWithParam<LongProgram (*)()> {
 protected:
  static void SetUpTestSuite() {
    live_ = new LiveServer(int64_t{256} << 20);
    for (const auto& [id, shape] :
         std::map<std::string, Shape>{{"big", {{1, 1, 1, 1 << 21}}},
                                      {"few", {{1, 1, 1, 64}}},
                                      {"levels", {{1 << 20, 1, 1, 1}}},
                                      {"few_levels", {{4, 1, 1, 1}}},
                                      {"columns", {{1, 1, 1, 100}}},
                                      {"many_columns", {{1, 1, 1, 1000}}},
                                      {"folds", {{1, 1, 1, 100}}},
                                      {"other", {{1, 1, 1, 1 << 20}}}}) {
      ASSERT_TRUE(live_->CreateField(id, v1::VIJFH, shape, "f64").ok());
      ASSERT_TRUE(live_->Execute(absl::StrCat(id, " = 0.5")).ok());
    }
  }
  static void TearDownTestSuite() { delete live_; }

  void SetUp() override {
    program_ = GetParam()();
    v1::ExecuteRequest request = Request();
    for (const auto& [name, id] : program_.short_bindings) {
      (*request.mutable_bindings())[name] = "fields/" + id;
    }
    grpc::ClientContext context;
    v1::ExecuteResponse reply;
    const grpc::Status status =
        live_->compute().Execute(&context, request, &reply);
    ASSERT_TRUE(status.ok()) << status.error_message();
    live_->engine().Drain();  // a reply comes before its memory is let go
    num_kernels_ = live_->engine().Info().num_kernels;
    used_before_ = UsedBytes();
    for (const char* id : {"big", "folds"}) {
      revisions_[id] = live_->engine().GetField(id)->revision;
    }
  }

  static int64_t UsedBytes() {
    return live_->engine().Info().memory_used_bytes;
  }

  v1::ExecuteRequest Request() const {
    v1::ExecuteRequest request;
    request.mutable_program()->set_text(program_.text);
    return request;
  }

  // Waits until the long program has what it needs to run, or is over.
  bool WaitUntil(bool running) const {
    const auto begin = Clock::now();
    while ((UsedBytes() > used_before_) != running) {
      if (MsSince(begin) > 20000) return false;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return true;
  }

  // Starts the long program through `channel`, with `deadline`; returns once
  // it is running. Its thread ends with the call.
  std::thread Start(std::shared_ptr<grpc::Channel> channel,
                    grpc::ClientContext* context, grpc::Status* status) {
    std::thread call([this, channel, context, status] {
      v1::ExecuteResponse reply;
      *status = v1::ComputeService::NewStub(channel)->Execute(
          context, Request(), &reply);
    });
    EXPECT_TRUE(WaitUntil(true));
    return call;
  }

  // Prints the median and the worst of `times_ms`; returns the median.
  double Report(const std::string& what, std::vector<double> times_ms) const {
    std::sort(times_ms.begin(), times_ms.end());
    const double median = times_ms[times_ms.size() / 2];
    const std::string line =
        absl::StrCat(what, ": median ", median, " ms, worst ", times_ms.back(),
                     " ms of ", times_ms.size());
    std::printf("%s, %s\n", program_.name, line.c_str());
    RecordProperty(what, line);
    return median;
  }

  // Waits until the stopped program is, and the call with it. Returns the
  // milliseconds from `stopped_at` on; checks that nothing was published.
  double Finish(Clock::time_point stopped_at, std::thread call) {
    EXPECT_TRUE(WaitUntil(false));
    const double ms = MsSince(stopped_at);
    call.join();
    EXPECT_EQ(live_->engine().Info().num_kernels, num_kernels_);
    for (const char* id : {"big", "folds"}) {
      EXPECT_EQ(live_->engine().GetField(id)->revision, revisions_[id]);
    }
    return ms;
  }

  static LiveServer* live_;
  LongProgram program_;
  int64_t num_kernels_ = 0;
  int64_t used_before_ = 0;
  std::map<std::string, int64_t> revisions_;
};

LiveServer* StoppingTest::live_ = nullptr;

TEST_P(StoppingTest, SoonAfterItsClientCancels) {
  std::vector<double> times_ms;
  for (int round = 0; round < kNumRounds; ++round) {
    grpc::ClientContext context;
    grpc::Status status;
    std::thread call = Start(live_->channel(), &context, &status);
    std::this_thread::sleep_for(milliseconds(3 * round));  // somewhere in it
    const auto now = Clock::now();
    context.TryCancel();
    times_ms.push_back(Finish(now, std::move(call)));
    EXPECT_EQ(status.error_code(), grpc::StatusCode::CANCELLED);
  }
  EXPECT_LT(Report("stops after a cancel", times_ms), kBoundMs);
}

TEST_P(StoppingTest, SoonAfterItsDeadline) {
  std::vector<double> times_ms;
  for (int round = 0; round < kNumRounds; ++round) {
    grpc::ClientContext context;
    const auto deadline = Clock::now() + milliseconds(100 + 3 * round);
    context.set_deadline(deadline);
    grpc::Status status;
    std::thread call = Start(live_->channel(), &context, &status);
    times_ms.push_back(Finish(deadline, std::move(call)));
    EXPECT_EQ(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  }
  EXPECT_LT(Report("stops after its deadline", times_ms), kBoundMs);
}

// Returns a connection to `address` ("127.0.0.1:PORT").
int Connect(const std::string& address) {
  const int connection = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(ParseListenAddress(address)->port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(connection, reinterpret_cast<sockaddr*>(&to), sizeof(to)),
            0);
  fcntl(connection, F_SETFL, fcntl(connection, F_GETFL) | O_NONBLOCK);
  return connection;
}

TEST_P(StoppingTest, SoonAfterItsConnectionBreaks) {
  std::vector<double> times_ms;
  for (int round = 0; round < kNumRounds; ++round) {
    const int connection = Connect(live_->server().addresses()[0]);
    // Owns the connection from here on.
    auto channel = grpc::CreateInsecureChannelFromFd("server", connection);
    grpc::ClientContext context;
    grpc::Status status;
    std::thread call = Start(channel, &context, &status);
    std::this_thread::sleep_for(milliseconds(3 * round));
    const auto now = Clock::now();
    shutdown(connection, SHUT_RDWR);
    times_ms.push_back(Finish(now, std::move(call)));
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  }
  EXPECT_LT(Report("stops after a disconnect", times_ms), kBoundMs);
}

TEST_P(StoppingTest, LetsShortProgramsOfOthersRunMeanwhile) {
  const auto times_of_short_ms = [] {
    std::vector<double> times_ms;
    for (int round = 0; round < kNumRounds; ++round) {
      const auto begin = Clock::now();
      EXPECT_TRUE(live_->Execute("other = 0.5 * other + 1.0").ok());
      times_ms.push_back(MsSince(begin));
    }
    return times_ms;
  };
  times_of_short_ms();  // compiles it
  Report("a short program alone", times_of_short_ms());
  live_->engine().Drain();

  grpc::ClientContext context;
  grpc::Status status;
  std::thread call = Start(live_->channel(), &context, &status);
  const std::vector<double> times_ms = times_of_short_ms();
  context.TryCancel();
  call.join();

  EXPECT_EQ(status.error_code(), grpc::StatusCode::CANCELLED)
      << "over before the short ones were";
  EXPECT_LT(Report("a short program beside it", times_ms), kBoundMs);
}

INSTANTIATE_TEST_SUITE_P(Programs, StoppingTest,
                         testing::Values(&Points, &Columns, &Reduction));

}  // namespace
}  // namespace layoutd
