#include "engine/layout/view.h"

namespace layoutd {

LeafPlace View::PlaceOf(int index) const {
  const Leaf& leaf = type.leaves()[static_cast<size_t>(index)];
  return PlaceLeaf(value_offset_bytes + leaf.offset_bytes, SizeBytes(leaf.type),
                   SizeBytes(base_type));
}

LeafAddress AddressOf(const View& view, int leaf_index) {
  const LeafPlace place = view.PlaceOf(leaf_index);
  return {view.type.leaves()[static_cast<size_t>(leaf_index)].type,
          view.offset_bytes + place.slot * view.slot_stride_bytes +
              place.offset_in_slot,
          place.num_pieces, place.piece_bytes};
}

}  // namespace layoutd
