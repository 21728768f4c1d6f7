package io.verbena.bench.house;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * How often methods are entered: each of those that {@link CallTally} loads tells so here. For one
 * thread.
 */
public final class Entries {
  private static final List<Method> METHODS = new ArrayList<>();
  private static int[] entries = new int[1024];
  private static boolean counting;

  private Entries() {}

  /**
   * A method.
   *
   * @param type the full name of its class
   * @param forwards whether it reads one field, or passes on to one other method, and no more
   */
  record Method(String type, String name, boolean forwards) {
    /** Returns the class in whose file it is. */
    String topLevel() {
      int nested = type.indexOf('$');
      return nested < 0 ? type : type.substring(0, nested);
    }

    @Override
    public String toString() {
      return type + "." + name;
    }
  }

  /** A method, and how often it was entered. */
  record Entered(Method method, int times) {}

  /** Returns the number that a method tells. */
  static int add(Method method) {
    METHODS.add(method);
    entries = Arrays.copyOf(entries, Math.max(entries.length, METHODS.size() * 2));
    return METHODS.size() - 1;
  }

  /** A method is entered. */
  public static void entered(int number) {
    if (counting) {
      entries[number]++;
    }
  }

  /** Begins to count, from 0, or ends. */
  public static void count(boolean on) {
    if (on) {
      Arrays.fill(entries, 0);
    }
    counting = on;
  }

  /** Returns what was entered while they were counted. */
  static List<Entered> all() {
    List<Entered> all = new ArrayList<>();
    for (int i = 0; i < METHODS.size(); i++) {
      if (entries[i] > 0) {
        all.add(new Entered(METHODS.get(i), entries[i]));
      }
    }
    return all;
  }
}
