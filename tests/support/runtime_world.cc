#include "tests/support/runtime_world.h"

#include <cstring>
#include <utility>

#include "engine/base/status_macros.h"
#include "engine/kernels/pack.h"
#include "engine/program/parse.h"

namespace layoutd {

absl::StatusOr<std::unique_ptr<RuntimeWorld>> RuntimeWorld::Open(
    const WorldOptions& options) {
  std::unique_ptr<RuntimeWorld> world(new RuntimeWorld(options));
  DeviceOptions device;
  device.num_threads = options.num_threads;
  ASSIGN_OR_RETURN(std::unique_ptr<Device> opened_device, OpenDevice(device));
  world->device_ = std::make_unique<MeteredDevice>(std::move(opened_device));
  CompilerOptions compiler;
  compiler.vector_bits = options.vector_bits;
  ASSIGN_OR_RETURN(std::unique_ptr<Compiler> opened, OpenCompiler(compiler));
  world->kernels_ = std::make_unique<KernelCache>(std::move(opened));
  world->Clear();
  return world;
}

void RuntimeWorld::Clear() {
  // Contents give back to the budget they were taken from.
  fields_.reset();
  masks_.reset();
  budget_ = std::make_unique<MemoryBudget>(options_.memory_limit_bytes);
  fields_ = std::make_unique<FieldStore>(device_.get(), budget_.get());
  masks_ = std::make_unique<MaskStore>(budget_.get());
  runtime_ = {device_.get(), budget_.get(),  fields_.get(),
              masks_.get(),  kernels_.get(), &plans_};
}

absl::Status RuntimeWorld::AddField(const std::string& id,
                                    const DataLayout& layout,
                                    const std::vector<Scalar>& leaves) {
  RETURN_IF_ERROR(fields_->Create(id, layout, {}).status());
  const ValueType& type = layout.type();
  const size_t num_leaves = static_cast<size_t>(type.num_leaves());
  const size_t size = static_cast<size_t>(type.size_bytes());
  std::vector<uint8_t> stream(leaves.size() / num_leaves * size, 0);
  for (size_t k = 0; k < leaves.size(); ++k) {
    const Leaf& leaf = type.leaves()[k % num_leaves];
    std::memcpy(stream.data() + k / num_leaves * size +
                    static_cast<size_t>(leaf.offset_bytes),
                leaves[k].bytes, static_cast<size_t>(SizeBytes(leaf.type)));
  }
  ASSIGN_OR_RETURN(PrivateBuffer content,
                   fields_->Prepare(id, /*zeroed=*/false));
  RETURN_IF_ERROR(UnpackPoints(layout.WholeView(),
                               content.revision->buffer->data(), 0, stream));
  std::vector<PrivateBuffer> contents;
  contents.push_back(std::move(content));
  return fields_->Publish(std::move(contents), {}).status();
}

absl::Status RuntimeWorld::AddMask(const std::string& id, const Shape& shape,
                                   const std::vector<uint8_t>& active) {
  RETURN_IF_ERROR(masks_->Create(id, shape).status());
  return masks_->Set(id, active).status();
}

absl::StatusOr<OracleField> RuntimeWorld::ReadField(const std::string& id) {
  ASSIGN_OR_RETURN(const PinnedField pin,
                   fields_->Pin(id, /*materialise=*/true));
  const ValueType& type = pin.info.layout.type();
  const size_t size = static_cast<size_t>(type.size_bytes());
  OracleField field{type, pin.info.layout.shape(), {}};
  const size_t points = static_cast<size_t>(field.shape.num_points());
  std::vector<uint8_t> stream(points * size);
  PackPoints(pin.info.layout.WholeView(), pin.revision->buffer->data(), 0,
             absl::MakeSpan(stream));
  for (size_t p = 0; p < points; ++p) {
    for (const Leaf& leaf : type.leaves()) {
      Scalar scalar;
      scalar.type = leaf.type;
      std::memcpy(
          scalar.bytes,
          stream.data() + p * size + static_cast<size_t>(leaf.offset_bytes),
          static_cast<size_t>(SizeBytes(leaf.type)));
      field.leaves.push_back(scalar);
    }
  }
  return field;
}

absl::StatusOr<ExecuteReply> RuntimeWorld::Run(const std::string& text,
                                               const StopToken& stop) {
  ASSIGN_OR_RETURN(Program program, ParseProgram(text));
  return Run(std::move(program), stop);
}

absl::StatusOr<ExecuteReply> RuntimeWorld::Run(Program program,
                                               const StopToken& stop) {
  return ExecuteProgram(runtime_, program, {}, stop, [] {});
}

absl::StatusOr<ExecuteReply> RuntimeWorld::RunProfiled(
    const std::string& text) {
  ASSIGN_OR_RETURN(Program program, ParseProgram(text));
  return ExecuteProgram(
      runtime_, program, {}, StopToken(), [] {},
      /*profiled=*/true);
}

absl::StatusOr<CompileReply> RuntimeWorld::Compile(const std::string& text) {
  ASSIGN_OR_RETURN(Program program, ParseProgram(text));
  return CompileProgram(runtime_, program, {}, StopToken(), [] {});
}

}  // namespace layoutd
