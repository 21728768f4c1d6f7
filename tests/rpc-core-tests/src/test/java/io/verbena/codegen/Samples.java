package io.verbena.codegen;

import io.verbena.testkit.contract.Everything.Maybes;
import io.verbena.testkit.contract.Everything.Zones;
import io.verbena.testkit.contract.Herbarium.Colour;
import io.verbena.testkit.contract.Herbarium.Conifer;
import io.verbena.testkit.contract.Herbarium.Exact;
import io.verbena.testkit.contract.Herbarium.Latin;
import io.verbena.testkit.contract.Herbarium.Leaf;
import io.verbena.testkit.contract.Herbarium.Sheet;
import io.verbena.testkit.contract.Herbarium.Taxon;
import io.verbena.testkit.contract.Herbarium.Times;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
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

  private static final LocalDateTime OVERLAP = LocalDateTime.of(2026, 10, 25, 2, 30);

  static Times times() {
    return new Times(
        Instant.MAX,
        Duration.ofSeconds(-5, 1),
        Period.of(-1, 2, -3),
        LocalDate.MIN,
        LocalTime.MAX,
        LocalDateTime.MAX,
        ZoneOffset.MIN,
        OffsetDateTime.of(OVERLAP, ZoneOffset.ofHours(5)),
        OffsetTime.MAX,
        Year.of(-44),
        YearMonth.of(2026, 11),
        MonthDay.of(2, 29),
        DayOfWeek.FRIDAY);
  }

  static Zones zones() {
    ZoneId berlin = ZoneId.of("Europe/Berlin");
    return new Zones(berlin, ZonedDateTime.of(OVERLAP, berlin).withLaterOffsetAtOverlap());
  }

  static Exact exact() {
    return new Exact(
        UUID.fromString("00112233-4455-6677-8899-aabbccddeeff"),
        new BigDecimal("-12345678901234567890.0987654321E-300"),
        BigInteger.TWO.pow(1000).negate());
  }

  static Sheet sheet() {
    return new Sheet(
        List.of("one", "two"),
        new LinkedHashSet<>(List.of(3L, 1L, 2L)),
        List.of(Colour.RED),
        leaves(9, 0),
        Optional.of(new Leaf(-1, Integer.MIN_VALUE)),
        OptionalInt.of(7),
        OptionalLong.empty(),
        OptionalDouble.of(0.5),
        Arrays.asList("a", null, "b"),
        null,
        new byte[0],
        ByteBuffer.allocate(1),
        new Latin("viola"),
        List.of(Map.of(Colour.WHITE, new LinkedHashSet<>(List.of("x")))));
  }

  private static Map<Integer, Leaf> leaves(int... widths) {
    Map<Integer, Leaf> leaves = new LinkedHashMap<>();
    for (int width : widths) {
      leaves.put(width, new Leaf(width, width));
    }
    return leaves;
  }

  static Map<String, List<@Nullable Leaf>> index() {
    Map<String, List<@Nullable Leaf>> index = new LinkedHashMap<>();
    index.put("z", List.of(new Leaf(1, 2)));
    index.put("a", List.of());
    return index;
  }

  static Map<Leaf, @Nullable Colour> byLeaf() {
    Map<Leaf, @Nullable Colour> byLeaf = new LinkedHashMap<>();
    byLeaf.put(new Leaf(9, 9), null);
    byLeaf.put(new Leaf(0, 0), Colour.VIOLET);
    return byLeaf;
  }

  static Maybes maybes() {
    return new Maybes(
        Optional.empty(),
        Optional.of(List.of(1, 2)),
        OptionalInt.empty(),
        OptionalLong.of(1),
        OptionalDouble.empty(),
        null);
  }

  static Taxon<String> taxon(int depth) {
    Taxon<String> taxon = new Taxon<>("leaf", List.of());
    for (int i = 1; i < depth; i++) {
      taxon = new Taxon<>("level " + i, List.of(taxon));
    }
    return taxon;
  }

  static Conifer conifer(double height) {
    return new Conifer(height);
  }
}
