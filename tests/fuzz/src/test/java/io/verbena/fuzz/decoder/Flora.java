package io.verbena.fuzz.decoder;

import io.verbena.codec.kryo.KryoSerializer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A plant and its neighbours: cycles, an open hierarchy, and one of each kind of member. */
class Flora {
  /** Its serializer. */
  static final class ByKryo extends KryoSerializer<Flora> {
    ByKryo() {
      super(1, Flora.class, Tree.class, Spot.class, Season.class, Flora[].class, long[][].class);
    }
  }

  /** Where it stands. */
  record Spot(int row, double height, String note) {}

  /** When it flowers. */
  enum Season {
    SPRING,
    AUTUMN
  }

  /** A kind of its own. */
  static final class Tree extends Flora {
    int[] rings = {};
    long[][] roots = {};
    boolean[] bare = {};
    Flora[] under = {};
    String[] names = {};
  }

  @Nullable Flora neighbour;
  final List<Flora> others = new ArrayList<>();
  Map<String, Object> labels = Map.of();
  Spot spot = new Spot(0, 0, "");
  @Nullable Season flowers;
  @Nullable String text;

  static Flora sample() {
    Tree tree = new Tree();
    Flora shrub = new Flora();
    tree.neighbour = shrub;
    shrub.neighbour = tree;
    shrub.others.addAll(List.of(tree, shrub));
    shrub.labels = Map.of("größe", 12L, "all", List.of(1, 2, 3));
    shrub.flowers = Season.AUTUMN;
    shrub.text = "a shrub of thirty-two letters or more";
    tree.spot = new Spot(3, 1.5, "by the gate");
    tree.rings = new int[] {1, -70_000};
    tree.roots = new long[][] {{1L << 40}, {}};
    tree.bare = new boolean[] {true, false};
    tree.under = new Flora[] {shrub, new Flora()};
    tree.names = new String[] {"oak", "", "quercus robur"};
    return tree;
  }
}
