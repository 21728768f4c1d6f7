package io.verbena.rdma;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.verbs.fabric.DeviceProfile;
import io.verbena.verbs.fabric.Personality;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that run on several adapters: on a few that together have most behaviours, and on some of
 * the others in turn, which the day picks; more of them with {@code -Dverbena.long}. {@code
 * -Dverbena.adapters=MANA,SIW} names others, and {@code all} takes every {@link Personality} on
 * which links can be made.
 */
@ParameterizedClass(name = "{0}")
@MethodSource("io.verbena.rdma.Adapters#chosen")
abstract class Adapters {
  private static final String NAMED = "verbena.adapters";
  private static final boolean LONG = Boolean.getBoolean("verbena.long");
  private static final List<Personality> ALWAYS =
      LONG
          ? List.of(
              Personality.MLX5, Personality.IRDMA_ROCE, Personality.MANA, Personality.ERDMA_IWARP)
          : List.of(Personality.MLX5, Personality.MANA);
  private static final int IN_TURN = LONG ? 4 : 1;

  private static final Set<Personality> FIND_OUT =
      Set.of(Personality.MANA_WINDOWS, Personality.INLINE_LIAR, Personality.STRICT_KEYS);

  private static Personality present = Personality.MLX5;

  @Parameter Personality adapter;

  @SuppressWarnings("NullAway.Init") // by JUnit
  Adapters() {}

  /** Returns the adapters for this run. */
  static Stream<Personality> chosen() {
    String named = System.getProperty(NAMED, "");
    if (named.equals("all")) {
      return all();
    }
    if (!named.isEmpty()) {
      return Arrays.stream(named.split(",")).map(Personality::valueOf);
    }
    List<Personality> others = all().filter(adapter -> !ALWAYS.contains(adapter)).toList();
    long day = LocalDate.now(ZoneOffset.UTC).toEpochDay();
    List<Personality> chosen = new ArrayList<>(ALWAYS);
    for (long i = day * IN_TURN; i < (day + 1) * IN_TURN; i++) {
      chosen.add(others.get((int) (i % others.size())));
    }
    System.out.println(
        chosen.stream()
            .map(Personality::name)
            .collect(Collectors.joining(",", "adapters: run again with -D" + NAMED + "=", "")));
    return chosen.stream();
  }

  /**
   * Returns the adapters for tests of links alone, all of them with {@code -Dverbena.long}: without
   * those whose first links end, and without the one that has room for a single link.
   */
  static Stream<Personality> ofLinks() {
    Stream<Personality> chosen = LONG && System.getProperty(NAMED) == null ? all() : chosen();
    return chosen.filter(Adapters::isOfLinks);
  }

  /**
   * Returns whether no link finds out what the device does otherwise than it reports, and ends of
   * it.
   */
  static boolean keepsItsLinks(Personality adapter) {
    return !FIND_OUT.contains(adapter);
  }

  private static boolean isOfLinks(Personality adapter) {
    return keepsItsLinks(adapter) && adapter != Personality.SCARCE;
  }

  /** Leaves out what {@link #ofLinks} does. */
  static void assumeOfLinks(Personality adapter) {
    assumeTrue(isOfLinks(adapter));
  }

  /** Returns all adapters on which links can be made. */
  static Stream<Personality> all() {
    return Arrays.stream(Personality.values()).filter(Personality::connects);
  }

  @BeforeParameterizedClassInvocation
  static void use(Personality chosen) {
    present = chosen;
  }

  /** Returns the device of the adapter under test. */
  static DeviceProfile device() {
    return present.profile();
  }
}
