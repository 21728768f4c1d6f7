package io.verbena.codec;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The result of comparing this end's version of a contract with the peer's. Immutable.
 *
 * @param misfits the reasons why a method cannot be called, by the method's id, for methods that do
 *     not fit
 * @param missing this end's methods that the peer's version does not have, by id
 * @param notes the harmless differences
 */
public record Compatibility(
    Map<Integer, List<String>> misfits, Map<Integer, String> missing, List<String> notes) {
  /** The result for two equal versions. */
  public static final Compatibility FULL = new Compatibility(Map.of(), Map.of(), List.of());

  /**
   * Returns the reason why a method cannot be called, which names the type and member; null if it
   * can be called.
   */
  public @Nullable String misfit(int method) {
    if (misfits.isEmpty()) {
      return null; // the usual case; a small call then allocates nothing
    }
    List<String> found = misfits.get(method);
    return found == null ? null : "the two ends' contracts differ: " + String.join("; ", found);
  }

  /**
   * Returns the reasons why methods of this end cannot be called, each once; empty if all can be
   * called.
   */
  public List<String> problems() {
    Set<String> problems = new LinkedHashSet<>();
    misfits.values().forEach(problems::addAll);
    missing.forEach(
        (id, name) ->
            problems.add(
                "method %s (id %d) is not in the peer's contract: it was removed there, or is not there yet"
                    .formatted(name, id)));
    return List.copyOf(problems);
  }
}
