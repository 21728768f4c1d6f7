package io.verbena.architecture;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaPackage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A package can be read from its top: few of its classes know one above them. The order of the
 * classes is the one found with the fewest such arrows.
 */
class BackArrowsTest {
  private static final int MOST = 3;
  private static final int STARTS = 30;

  /** The packages with more. Lower a number with each arrow that goes. */
  private static final Map<String, Integer> KNOTS =
      Map.of(
          "io.verbena.channel", 5,
          "io.verbena.codec.kryo", 4,
          "io.verbena.core.stream", 4,
          "io.verbena.grpc", 5,
          "io.verbena.simulation.net", 7,
          "io.verbena.tcp", 4,
          "io.verbena.verbs.fabric", 29);

  static Stream<JavaPackage> packages() {
    return Production.CLASSES.getPackage("io.verbena").getSubpackagesInTree().stream();
  }

  @ParameterizedTest
  @MethodSource("packages")
  void fewClassesKnowOneAboveThemInTheirPackage(JavaPackage one) {
    assertThat(back(arrows(one))).hasSizeLessThanOrEqualTo(KNOTS.getOrDefault(one.getName(), MOST));
  }

  /** Returns the other classes of a package that each of its top-level classes knows. */
  private static Map<String, Set<String>> arrows(JavaPackage of) {
    return of.getClasses().stream()
        .collect(
            Collectors.toMap(
                BackArrowsTest::topLevel,
                one ->
                    one.getDirectDependenciesFromSelf().stream()
                        .map(Dependency::getTargetClass)
                        .filter(other -> other.getPackageName().equals(of.getName()))
                        .map(BackArrowsTest::topLevel)
                        .filter(other -> !other.equals(topLevel(one)))
                        .collect(toCollection(TreeSet::new)),
                (some, more) -> {
                  some.addAll(more);
                  return some;
                },
                TreeMap::new));
  }

  private static String topLevel(JavaClass one) {
    String name = one.getBaseComponentType().getName();
    String simple = name.substring(name.lastIndexOf('.') + 1);
    int nested = simple.indexOf('$');
    return nested < 0 ? simple : simple.substring(0, nested);
  }

  private static boolean knows(Map<String, Set<String>> arrows, String one, String other) {
    return arrows.getOrDefault(one, Set.of()).contains(other);
  }

  private static List<String> back(Map<String, Set<String>> arrows) {
    List<String> fewest = back(arrows, List.copyOf(arrows.keySet()));
    for (int start = 0; start < STARTS && !fewest.isEmpty(); start++) {
      List<String> order = new ArrayList<>(arrows.keySet());
      Collections.shuffle(order, new Random(start));
      settle(arrows, order);
      List<String> back = back(arrows, order);
      fewest = back.size() < fewest.size() ? back : fewest;
    }
    return fewest;
  }

  private static List<String> back(Map<String, Set<String>> arrows, List<String> order) {
    List<String> back = new ArrayList<>();
    for (int i = 0; i < order.size(); i++) {
      String from = order.get(i);
      order.subList(0, i).stream()
          .filter(above -> knows(arrows, from, above))
          .forEach(above -> back.add(from + " -> " + above));
    }
    return back;
  }

  /** Moves one class at a time to where fewest of its arrows run back, as long as that helps. */
  private static void settle(Map<String, Set<String>> arrows, List<String> order) {
    boolean better = true;
    while (better) {
      better = false;
      for (String moved : arrows.keySet()) {
        int from = order.indexOf(moved);
        order.remove(from);
        int gain = 0;
        int gainThere = 0;
        int best = 0;
        int bestGain = 0;
        for (int to = 1; to <= order.size(); to++) {
          String above = order.get(to - 1);
          gain += knows(arrows, above, moved) ? 1 : 0;
          gain -= knows(arrows, moved, above) ? 1 : 0;
          gainThere = to == from ? gain : gainThere;
          if (gain > bestGain) {
            best = to;
            bestGain = gain;
          }
        }
        boolean moves = bestGain > gainThere;
        order.add(moves ? best : from, moved);
        better |= moves;
      }
    }
  }
}
