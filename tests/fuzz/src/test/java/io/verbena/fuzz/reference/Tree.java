package io.verbena.fuzz.reference;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A value as the wire knows it, without a class of its own. */
public sealed interface Tree {
  /** A number of 1, 2, 4 or 8 bytes, signed. */
  record Fixed(int bytes, long value) implements Tree {}

  /** A string. */
  record Text(String text) implements Tree {}

  /** Bytes, as hexadecimal digits. */
  record Raw(String digits) implements Tree {}

  /** An optional value. */
  record Maybe(@Nullable Tree value) implements Tree {}

  /** Elements of a list, set or array; members of a record or of a value of the JDK's. */
  record Row(List<Tree> parts) implements Tree {}

  /** A map, in its order. */
  record Pairs(Map<Tree, Tree> pairs) implements Tree {}

  /** An enum's constant. */
  record Place(int ordinal) implements Tree {}

  /** A subtype and its id. */
  record Sub(int id, Tree value) implements Tree {}
}
