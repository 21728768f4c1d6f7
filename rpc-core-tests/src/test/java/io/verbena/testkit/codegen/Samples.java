package io.verbena.testkit.codegen;

import io.verbena.testkit.codegen.Everything.Circle;
import io.verbena.testkit.codegen.Everything.Color;
import io.verbena.testkit.codegen.Everything.Containers;
import io.verbena.testkit.codegen.Everything.Point;
import io.verbena.testkit.codegen.Everything.Times;
import io.verbena.testkit.codegen.Everything.Tree;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Values of the contract's larger types. */
final class Samples {
  private Samples() {}

  static Times times() {
    LocalDateTime overlap = LocalDateTime.of(2026, 10, 25, 2, 30);
    ZoneId berlin = ZoneId.of("Europe/Berlin");
    return new Times(
        Instant.MAX,
        Duration.ofSeconds(-5, 1),
        Period.of(-1, 2, -3),
        LocalDate.MIN,
        LocalTime.MAX,
        LocalDateTime.MAX,
        ZoneOffset.MIN,
        berlin,
        OffsetDateTime.of(overlap, ZoneOffset.ofHours(5)),
        OffsetTime.MAX,
        ZonedDateTime.of(overlap, berlin).withLaterOffsetAtOverlap(),
        Year.of(-44),
        YearMonth.of(2026, 11),
        MonthDay.of(2, 29),
        DayOfWeek.FRIDAY,
        UUID.fromString("00112233-4455-6677-8899-aabbccddeeff"),
        new BigDecimal("-12345678901234567890.0987654321E-300"),
        BigInteger.TWO.pow(1000).negate());
  }

  static Containers containers() {
    Map<String, List<Point>> map = new LinkedHashMap<>();
    map.put("z", List.of(new Point(1, 2)));
    map.put("a", List.of());
    Map<Point, @Nullable Color> byPoint = new LinkedHashMap<>();
    byPoint.put(new Point(9, 9), null);
    byPoint.put(new Point(0, 0), Color.BLUE);
    return new Containers(
        List.of("one", "two"),
        new LinkedHashSet<>(List.of(3L, 1L, 2L)),
        List.of(Color.GREEN),
        map,
        Optional.of(new Point(-1, Integer.MIN_VALUE)),
        Optional.empty(),
        OptionalInt.of(7),
        OptionalLong.empty(),
        OptionalDouble.of(0.5),
        Arrays.asList("a", null, "b"),
        byPoint,
        null,
        List.of(Map.of(Color.RED, new LinkedHashSet<>(List.of("x")))));
  }

  static Tree<String> tree(int depth) {
    Tree<String> tree = new Tree<>("leaf", List.of());
    for (int i = 1; i < depth; i++) {
      tree = new Tree<>("level " + i, List.of(tree));
    }
    return tree;
  }

  static Circle circle(double radius) {
    return new Circle(new Point(3, 4), radius);
  }
}
