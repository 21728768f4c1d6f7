package io.verbena.fuzz.reference;

import java.util.List;
import java.util.Map;

/** The default of a member that an older writer left out. */
final class Defaults {
  private Defaults() {}

  static Tree of(Shape shape) {
    return switch (shape) {
      case Shape.Fixed it -> new Tree.Fixed(it.bytes(), 0);
      case Shape.Flag _ -> new Tree.Fixed(1, 0);
      case Shape.Raw _ -> new Tree.Raw("");
      case Shape.Maybe _ -> new Tree.Maybe(null);
      case Shape.Elements _ -> new Tree.Row(List.of());
      case Shape.Pairs _ -> new Tree.Pairs(Map.of());
      case Shape.Text _, Shape.Standard _, Shape.Defined _ ->
          throw new IllegalArgumentException(shape + " has no default");
    };
  }
}
