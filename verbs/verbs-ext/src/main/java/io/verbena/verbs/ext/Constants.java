package io.verbena.verbs.ext;

import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.Map;

/** Finds the names of a class's constants, for messages. */
final class Constants {
  private Constants() {}

  /** Returns the names of the public constants of type int, by their values. */
  static Map<Integer, String> names(Class<?> of) {
    Map<Integer, String> names = new HashMap<>();
    try {
      for (Field field : of.getFields()) {
        names.put(field.getInt(null), field.getName());
      }
    } catch (IllegalAccessException e) {
      throw new AssertionError("a class of this package is open to it", e);
    }
    return names;
  }
}
