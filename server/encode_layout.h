#ifndef LAYOUTD_SERVER_ENCODE_LAYOUT_H_
#define LAYOUTD_SERVER_ENCODE_LAYOUT_H_

// From the engine's layouts to the protocol's.

#include "engine/layout/data_layout.h"
#include "layoutd/v1/layout.pb.h"

namespace layoutd {

void EncodeShape(const Shape& shape, v1::Shape* encoded);
void EncodeLayout(const DataLayout& layout, v1::Layout* encoded);

}  // namespace layoutd

#endif  // LAYOUTD_SERVER_ENCODE_LAYOUT_H_
