package io.verbena.core.contract;

import io.verbena.api.Execution;
import io.verbena.api.RpcStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One row of the table: how the contract was changed, and what then fails when the old version
 * calls the new one, and when the new one calls the old. What is not said to fail works.
 */
final class Refactoring {
  private record Edit(String from, String to) {}

  /** How a call fails. */
  record Failure(RpcStatus status, Execution execution, String words) {}

  private final String name;
  private final List<Edit> toBoth = new ArrayList<>();
  private final List<Edit> toNew = new ArrayList<>();
  private @Nullable String unknown;

  /** By the id of the method that the old version calls. */
  final Map<Integer, Failure> oldCallsNew = new HashMap<>();

  /** By the id of the method that the new version calls. */
  final Map<Integer, Failure> newCallsOld = new HashMap<>();

  private Refactoring(String name) {
    this.name = name;
  }

  static Refactoring of(String name) {
    return new Refactoring(name);
  }

  /** Writes something else into the new version. */
  Refactoring change(String from, String to) {
    toNew.add(new Edit(from, to));
    return this;
  }

  /** Writes something else into both versions. */
  Refactoring where(String from, String to) {
    toBoth.add(new Edit(from, to));
    return this;
  }

  /** The value of a part that the older version does not know. */
  Refactoring arrivesAs(String unknown) {
    this.unknown = unknown;
    return this;
  }

  /** A method fails, whichever version calls it, before anything is sent. */
  Refactoring breaks(int id, String words) {
    return oldFails(id, RpcStatus.INCOMPATIBLE, Execution.NOT_EXECUTED, words)
        .newFails(id, RpcStatus.INCOMPATIBLE, Execution.NOT_EXECUTED, words);
  }

  Refactoring oldFails(int id, RpcStatus status, Execution execution, String words) {
    oldCallsNew.put(id, new Failure(status, execution, words));
    return this;
  }

  Refactoring newFails(int id, RpcStatus status, Execution execution, String words) {
    newCallsOld.put(id, new Failure(status, execution, words));
    return this;
  }

  @Nullable String unknown() {
    return unknown;
  }

  String oldText(String base) {
    return edited(base, toBoth);
  }

  String newText(String base) {
    return edited(oldText(base), toNew);
  }

  private String edited(String text, List<Edit> edits) {
    String result = text;
    for (Edit edit : edits) {
      if (!result.contains(edit.from)) {
        throw new AssertionError(name + ": the contract has no '" + edit.from + "'");
      }
      result = result.replace(edit.from, edit.to);
    }
    return result;
  }

  @Override
  public String toString() {
    return name;
  }
}
