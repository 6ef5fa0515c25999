#include "tests/bench/bench_world.h"

#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/base/status_macros.h"

namespace layoutd {
namespace {

constexpr int kPercents[] = {10, 50, 100};

std::tuple<std::unique_ptr<BenchWorld<float>>,
           std::unique_ptr<BenchWorld<double>>>&
Worlds() {
  static auto& worlds = *new std::tuple<std::unique_ptr<BenchWorld<float>>,
                                        std::unique_ptr<BenchWorld<double>>>();
  return worlds;
}

}  // namespace

template <typename T>
BenchWorld<T>::BenchWorld(const Setting& setting, WaitingEngine engine)
    : setting_(setting),
      shape_(ShapeOf(setting.size, sizeof(T))),
      data_(shape_),
      threads_(setting.num_threads),
      engine_(std::move(engine)) {
  for (const int percent : kPercents) {
    masks_[percent] = PickColumns(shape_.num_columns(), percent);
  }
}

template <typename T>
absl::StatusOr<std::unique_ptr<BenchWorld<T>>> BenchWorld<T>::Open(
    const Setting& setting) {
  ASSIGN_OR_RETURN(WaitingEngine engine,
                   WaitingEngine::Open(setting.num_threads));
  std::unique_ptr<BenchWorld> world(new BenchWorld(setting, std::move(engine)));
  RETURN_IF_ERROR(world->FillEngine());
  return world;
}

template <typename T>
absl::Status BenchWorld<T>::FillEngine() {
  constexpr ScalarType kType = kScalarTypeOf<T>;
  for (const auto& [id, array] :
       {std::pair{"x", &data_.x}, {"y", &data_.y}, {"z", &data_.z}}) {
    RETURN_IF_ERROR(engine_.Create(id, shape_, kType));
    RETURN_IF_ERROR(engine_.Write(id, array->span()));
  }
  RETURN_IF_ERROR(engine_.Create("w", shape_, kType));
  RETURN_IF_ERROR(engine_.Create("s", shape_.WithV(1), kType));
  for (const auto& [percent, mask] : masks_) {
    RETURN_IF_ERROR(engine_.AddMask(absl::StrCat("m", percent), shape_.WithV(1),
                                    mask.active));
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status BenchWorld<T>::FillRuntime() {
  WorldOptions options;
  options.num_threads = setting_.num_threads;
  ASSIGN_OR_RETURN(runtime_, RuntimeWorld::Open(options));
  constexpr ScalarType kType = kScalarTypeOf<T>;
  for (const auto& [id, array] : {std::pair{"x", &data_.x},
                                  {"y", &data_.y},
                                  {"z", &data_.z},
                                  {"w", &data_.w},
                                  {"s", &data_.s}}) {
    const Shape shape = array == &data_.s ? shape_.WithV(1) : shape_;
    ASSIGN_OR_RETURN(const DataLayout layout,
                     DataLayout::Create({LayoutKind::kVIJFH, shape, kType}));
    std::vector<Scalar> leaves;
    for (const T value : array->span()) {
      leaves.push_back(Scalar::Of(kType, value));
    }
    RETURN_IF_ERROR(runtime_->AddField(id, layout, leaves));
  }
  for (const auto& [percent, mask] : masks_) {
    RETURN_IF_ERROR(runtime_->AddMask(absl::StrCat("m", percent),
                                      shape_.WithV(1), mask.active));
  }
  return absl::OkStatus();
}

template <typename T>
absl::StatusOr<const Runtime*> BenchWorld<T>::runtime() {
  if (runtime_ == nullptr) RETURN_IF_ERROR(FillRuntime());
  return &runtime_->runtime();
}

template <typename T>
absl::StatusOr<BenchWorld<T>*> WorldOf(const Setting& setting) {
  auto& world = std::get<std::unique_ptr<BenchWorld<T>>>(Worlds());
  if (world == nullptr || !(world->setting() == setting)) {
    DropWorlds();
    ASSIGN_OR_RETURN(world, BenchWorld<T>::Open(setting));
  }
  return world.get();
}

void DropWorlds() { Worlds() = {}; }

template class BenchWorld<float>;
template class BenchWorld<double>;
template absl::StatusOr<BenchWorld<float>*> WorldOf<float>(const Setting&);
template absl::StatusOr<BenchWorld<double>*> WorldOf<double>(const Setting&);

}  // namespace layoutd
