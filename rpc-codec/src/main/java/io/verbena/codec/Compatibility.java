package io.verbena.codec;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How this end's version of a contract fits the peer's.
 *
 * @param misfits why a method cannot be called, by the method's id; methods that fit are not there
 * @param missing this end's methods that the peer's version does not have, by id
 * @param notes what differs and does no harm
 */
public record Compatibility(
    Map<Integer, List<String>> misfits, Map<Integer, String> missing, List<String> notes) {
  /** Two versions that are the same. */
  public static final Compatibility FULL = new Compatibility(Map.of(), Map.of(), List.of());

  /** Returns why a method cannot be called, in words that name the type and member, or null. */
  public @Nullable String misfit(int method) {
    if (misfits.isEmpty()) {
      return null; // nearly always, and a small call allocates nothing
    }
    List<String> found = misfits.get(method);
    return found == null ? null : "the two ends' contracts differ: " + String.join("; ", found);
  }

  /** Returns why not every method of this end's can be called, once each; empty if all can. */
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
