#include "server/server.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "grpcpp/generic/generic_stub.h"
#include "gtest/gtest.h"
#include "server/call_gate.h"
#include "tests/e2e/live_server.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

// Asks `channel` for the health of `service`; returns the serving status of
// grpc.health.v1 (1 is SERVING, 2 is NOT_SERVING) or -1. The messages are one
// field each, written and read by hand: Debian ships no stub for them.
int HealthOf(const std::shared_ptr<grpc::Channel>& channel,
             const std::string& service) {
  const std::string request =
      service.empty()
          ? ""
          : std::string("\x0a") + static_cast<char>(service.size()) + service;
  grpc::Slice slice(request);
  grpc::ByteBuffer message(&slice, 1);
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  auto call = stub.PrepareUnaryCall(&context, "/grpc.health.v1.Health/Check",
                                    message, &queue);
  call->StartCall();
  grpc::ByteBuffer reply;
  grpc::Status status;
  call->Finish(&reply, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  if (!status.ok()) return -1;
  std::vector<grpc::Slice> slices;
  reply.Dump(&slices);
  std::string bytes;
  for (const grpc::Slice& part : slices) {
    bytes.append(reinterpret_cast<const char*>(part.begin()), part.size());
  }
  return bytes.size() == 2 && bytes[0] == 8 ? bytes[1] : -1;
}

ListenAddress AddressOf(const std::string& text) {
  absl::StatusOr<ListenAddress> address = ParseListenAddress(text);
  EXPECT_OK(address);
  return *address;
}

std::string SocketPath(const std::string& name) {
  return testing::TempDir() + "layoutd_" + std::to_string(getpid()) + name;
}

// Leaves the socket file of a server that is no more.
void LeaveStaleSocket(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  ASSERT_EQ(
      bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)),
      0);
  listen(fd, 1);
  close(fd);
}

// Returns the version that the server at `target` gives, or the error.
std::string VersionAt(const std::string& target) {
  auto stub = v1::ServerService::NewStub(
      grpc::CreateChannel(target, grpc::InsecureChannelCredentials()));
  v1::ServerInfo info;
  grpc::ClientContext context;
  const grpc::Status status = stub->GetServerInfo(&context, {}, &info);
  return status.ok() ? info.version() : status.error_message();
}

class ServerTest : public testing::Test {
 protected:
  LiveServer live_;
};

TEST_F(ServerTest, GivesItsRealPort) {
  EXPECT_THAT(live_.server().addresses()[0],
              MatchesRegex("127\\.0\\.0\\.1:[1-9][0-9]*"));
}

TEST_F(ServerTest, HealthIsServingForTheServerAndEachService) {
  EXPECT_EQ(HealthOf(live_.channel(), ""), 1);
  EXPECT_EQ(HealthOf(live_.channel(), "layoutd.v1.FieldService"), 1);
  EXPECT_EQ(HealthOf(live_.channel(), "layoutd.v1.ComputeService"), 1);
  EXPECT_EQ(HealthOf(live_.channel(), "layoutd.v1.NoService"), -1);
}

TEST_F(ServerTest, PortInUseIsAnErrorThatNamesIt) {
  const std::string taken = live_.server().addresses()[0];

  auto second = Server::Start(&live_.engine(), {AddressOf(taken)});

  EXPECT_THAT(second, IsError(absl::StatusCode::kUnavailable, "CANNOT_LISTEN",
                              AllOf(HasSubstr(taken), HasSubstr("in use"))));
}

TEST_F(ServerTest, ListensOnSeveralAddresses) {
  const std::string path = SocketPath("several");
  ASSERT_OK_AND_ASSIGN(
      auto server, Server::Start(&live_.engine(), {AddressOf("127.0.0.1:0"),
                                                   AddressOf("unix:" + path)}));

  ASSERT_EQ(server->addresses().size(), 2u);
  EXPECT_EQ(server->addresses()[1], "unix:" + path);
  for (const std::string& address : server->addresses()) {
    EXPECT_EQ(VersionAt(address), live_.engine().Info().version);
  }
}

TEST_F(ServerTest, SocketFileOfADeadServerIsReplaced) {
  const std::string path = SocketPath("stale");
  LeaveStaleSocket(path);

  ASSERT_OK_AND_ASSIGN(
      auto server, Server::Start(&live_.engine(), {AddressOf("unix:" + path)}));

  EXPECT_EQ(VersionAt("unix:" + path), live_.engine().Info().version);
}

TEST_F(ServerTest, SocketOfALiveServerIsLeftAlone) {
  const std::string path = SocketPath("live");
  ASSERT_OK_AND_ASSIGN(
      auto first, Server::Start(&live_.engine(), {AddressOf("unix:" + path)}));

  auto second = Server::Start(&live_.engine(), {AddressOf("unix:" + path)});

  EXPECT_THAT(second, IsError(absl::StatusCode::kFailedPrecondition,
                              "ADDRESS_IN_USE", HasSubstr(path)));
  EXPECT_EQ(VersionAt("unix:" + path), live_.engine().Info().version);
}

TEST_F(ServerTest, FileThatIsNoSocketIsLeftAlone) {
  const std::string path = SocketPath("file");
  std::ofstream(path) << "precious";

  auto server = Server::Start(&live_.engine(), {AddressOf("unix:" + path)});

  EXPECT_THAT(server, IsError(absl::StatusCode::kFailedPrecondition,
                              "ADDRESS_IN_USE", HasSubstr("no socket")));
  std::string word;
  std::ifstream(path) >> word;
  EXPECT_EQ(word, "precious");
  unlink(path.c_str());
}

TEST_F(ServerTest, DrainLetsARunningUploadEndAndRefusesNewCalls) {
  ASSERT_TRUE(live_.CreateField("f", v1::VIJFH, {{2, 1, 1, 1}}, "f64").ok());
  grpc::ClientContext context;
  v1::WriteFieldResponse reply;
  auto stream = live_.fields().WriteField(&context, &reply);
  v1::WriteFieldRequest message;
  message.mutable_header()->set_name("fields/f");
  ASSERT_TRUE(stream->Write(message));
  // A whole round trip, so that the upload has begun on the server.
  message.set_data(std::string(15, '\0'));
  ASSERT_TRUE(stream->Write(message));
  std::string bytes;
  ASSERT_TRUE(live_.Read("f", "", &bytes).ok());

  std::thread drain([this] { live_.server().Drain(absl::Seconds(60)); });
  while (HealthOf(live_.channel(), "") == 1) std::this_thread::yield();
  EXPECT_EQ(HealthOf(live_.channel(), "layoutd.v1.FieldService"), 2);
  // Health turns just before calls are refused.
  CallError refused;
  do {
    refused = ErrorOf(live_.Read("f", "", &bytes));
  } while (refused.code == grpc::StatusCode::OK);
  message.set_data(std::string(1, '\0'));
  stream->Write(message);
  stream->WritesDone();
  const grpc::Status upload = stream->Finish();
  drain.join();

  EXPECT_EQ(refused.code, grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(refused.reason, "DRAINING");
  EXPECT_TRUE(upload.ok()) << upload.error_message();
  EXPECT_EQ(reply.field().revision(), 1);
}

TEST_F(ServerTest, DrainCancelsWhatOutlastsItsGrace) {
  ASSERT_TRUE(live_.CreateField("f", v1::VIJFH, {{2, 1, 1, 1}}, "f64").ok());
  grpc::ClientContext context;
  v1::WriteFieldResponse reply;
  auto stream = live_.fields().WriteField(&context, &reply);
  v1::WriteFieldRequest message;
  message.mutable_header()->set_name("fields/f");
  ASSERT_TRUE(stream->Write(message));

  live_.server().Drain(absl::ZeroDuration());

  EXPECT_FALSE(stream->Finish().ok());
  EXPECT_EQ(live_.engine().GetField("f")->revision, 0);
}

TEST(CallGateTest, IsIdleWhenTheLastTicketIsGone) {
  CallGate gate;
  auto first = std::make_unique<CallGate::Ticket>(&gate);
  EXPECT_OK(first->status());
  EXPECT_FALSE(gate.WaitUntilIdle(absl::InfinitePast()));
  gate.Close();
  {
    const CallGate::Ticket late(&gate);
    EXPECT_THAT(late.status(), IsError(absl::StatusCode::kUnavailable,
                                       "DRAINING", testing::_));
  }

  first.reset();

  EXPECT_TRUE(gate.WaitUntilIdle(absl::InfinitePast()));
}

}  // namespace
}  // namespace layoutd
