// What uploads, fills and programs leave in every byte of a field must not
// depend on what its memory held before: the bytes between and behind values
// too, for none may show another field's content.

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/base/status_macros.h"
#include "engine/program/parse.h"
#include "engine/run/execute.h"
#include "engine/run/fill.h"
#include "engine/run/plan_cache.h"
#include "engine/run/transfer.h"
#include "tests/support/status_matchers.h"

namespace layoutd {
namespace {

constexpr const char* kTypes[] = {"f64", "bool", "(f64, f64, f64)",
                                  "(f64, u8, f32, (u16, bool))"};

// One field per way of writing, on a device whose pool holds used blocks or
// none.
class Scenario {
 public:
  Scenario(LayoutKind kind, const std::string& type, bool dirty)
      : layout_(*DataLayout::Create({kind,
                                     kind == LayoutKind::kDataF
                                         ? Shape{{1, 1, 1, 1}}
                                         : Shape{{5, 2, 2, 7}},
                                     *ValueType::Parse(type)})) {
    if (dirty) LeaveDirtyBlocks();
  }

  // Creates the fields and writes them in all ways.
  absl::Status Run(const std::string& value) {
    const Shape& shape = layout_.shape();
    RETURN_IF_ERROR(masks_.Create("some", shape).status());
    std::vector<uint8_t> columns(static_cast<size_t>(shape.num_columns()));
    for (size_t k = 0; k < columns.size(); k += 3) columns[k] = 1;
    RETURN_IF_ERROR(masks_.Set("some", columns).status());
    for (const char* id : {"never", "filled", "uploaded", "stored", "masked",
                           "column", "stored_twice"}) {
      RETURN_IF_ERROR(fields_.Create(id, layout_, {}).status());
    }
    const std::string component = layout_.type().num_leaves() == 1 ? "" : "1";
    RETURN_IF_ERROR(FillField(device_.get(), &fields_, "filled", component, "1",
                              StopToken())
                        .status());
    RETURN_IF_ERROR(Upload("uploaded"));
    RETURN_IF_ERROR(Execute(absl::StrCat("stored = ", value)));
    RETURN_IF_ERROR(Execute(
        absl::StrCat("foreach point mask some { masked = ", value, " }")));
    RETURN_IF_ERROR(Execute(
        absl::StrCat("foreach column mask some { column = ", value, " }")));
    RETURN_IF_ERROR(Execute(absl::StrCat("stored_twice = ", value)));
    RETURN_IF_ERROR(Execute(absl::StrCat(
        "foreach point mask some { stored_twice = ", value, " }")));
    return Execute("new made = uploaded\nnew other = masked");
  }

  // Returns the whole buffer of every field, by id.
  std::map<std::string, std::string> Bytes() {
    std::map<std::string, std::string> bytes;
    for (const FieldInfo& info : fields_.List("", 100)) {
      const PinnedField pin = *fields_.Pin(info.id, /*materialise=*/true);
      const Buffer& buffer = *pin.revision->buffer;
      bytes[info.id].assign(reinterpret_cast<const char*>(buffer.data()),
                            static_cast<size_t>(buffer.size_bytes()));
    }
    return bytes;
  }

 private:
  // More blocks of the fields' size than the scenario will use, so that none
  // of its own is fresh.
  void LeaveDirtyBlocks() {
    std::vector<std::unique_ptr<Buffer>> blocks;
    for (int k = 0; k < 40; ++k) {
      blocks.push_back(
          *device_->Allocate(layout_.size_bytes(), /*zeroed=*/false));
      std::memset(blocks.back()->data(), 0xAB,
                  static_cast<size_t>(blocks.back()->size_bytes()));
    }
  }

  // Ones in every byte that carries meaning, other bytes between.
  absl::Status Upload(const std::string& id) {
    ASSIGN_OR_RETURN(const std::unique_ptr<layoutd::Upload> upload,
                     layoutd::Upload::Open(&fields_, id));
    RETURN_IF_ERROR(upload->Append(std::vector<uint8_t>(
        static_cast<size_t>(upload->total_bytes()), uint8_t{1})));
    ASSIGN_OR_RETURN(PrivateBuffer content, upload->Finish());
    std::vector<PrivateBuffer> contents;
    contents.push_back(std::move(content));
    return fields_.Publish(std::move(contents), {}).status();
  }

  absl::Status Execute(const std::string& text) {
    ASSIGN_OR_RETURN(Program program, ParseProgram(text));
    return ExecuteProgram(runtime_, std::move(program), {}, StopToken(), [] {})
        .status();
  }

  const DataLayout layout_;
  const std::unique_ptr<Device> device_ =
      *OpenDevice({.name = "cpu", .num_threads = 2});
  MemoryBudget budget_{64 << 20};
  KernelCache kernels_{*OpenCompiler({})};
  PlanCache plans_;
  FieldStore fields_{device_.get(), &budget_};
  MaskStore masks_{&budget_};
  const Runtime runtime_ = {device_.get(), &budget_,  &fields_,
                            &masks_,       &kernels_, &plans_};
};

class RecycledMemoryTest
    : public testing::TestWithParam<std::tuple<LayoutKind, const char*>> {};

TEST_P(RecycledMemoryTest, EndsAsFreshMemoryDoesInEveryByte) {
  const auto& [kind, type] = GetParam();
  std::string value = "3.5";
  if (std::string(type) == "bool") value = "true";
  if (type[0] == '(') value = "(1.5, 2.5, 3.5)";
  if (std::string(type) == kTypes[3]) {
    value = "(1.5, 2_u8, 3.5_f32, (4_u16, true))";
  }
  Scenario fresh(kind, type, /*dirty=*/false);
  Scenario recycled(kind, type, /*dirty=*/true);
  ASSERT_OK(fresh.Run(value));
  ASSERT_OK(recycled.Run(value));

  const std::map<std::string, std::string> want = fresh.Bytes();
  const std::map<std::string, std::string> got = recycled.Bytes();

  EXPECT_EQ(got.at("never"), std::string(got.at("never").size(), '\0'));
  ASSERT_EQ(got.size(), want.size());
  for (const auto& [id, bytes] : want) {
    EXPECT_EQ(got.at(id), bytes) << id;
    EXPECT_EQ(got.at(id).find('\xAB'), std::string::npos) << id;
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, RecycledMemoryTest,
                         testing::Combine(testing::Values(LayoutKind::kDataF,
                                                          LayoutKind::kVIJFH,
                                                          LayoutKind::kVIJHF),
                                          testing::ValuesIn(kTypes)));

}  // namespace
}  // namespace layoutd
