package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.verbena.api.bulk.Source;
import io.verbena.testkit.Ends;
import io.verbena.testkit.Setting;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each setting of links is refused at once, or objects travel over links that have it. */
class RdmaSettingsTest {
  private static final int LONGEST = Integer.MAX_VALUE;
  private static final RdmaSettings DEFAULT = RdmaSettings.DEFAULT;
  private static final List<Setting<RdmaSettings>> ROWS = new ArrayList<>();

  static {
    Ends slots =
        new Ends(
            "a multiple of 64 from 512 to 1 MiB",
            List.of(512, 1 << 20),
            List.of(511, 512 - 64, 513, (1 << 20) + 64, 0, -64, LONGEST, Integer.MIN_VALUE));
    value(DEFAULT, "slotBytes", "withSlotBytes", slots);
    value(DEFAULT.withGuaranteedCredits(0), "credits", "withCredits", Ends.of(4, 4096));
    value(DEFAULT, "maxInlineBytes", "withMaxInlineBytes", Ends.of(0, LONGEST));
    value(DEFAULT, "maxPinnedBytes", "withMaxPinnedBytes", Ends.of(4L << 20, Long.MAX_VALUE));
    value(DEFAULT, "ackTimeout", "withAckTimeout", Ends.of(1, 31));
    Ends devices =
        new Ends(
            "required",
            List.of(DeviceChoice.of("netdev=eth0,family=ipv6"), DeviceChoice.of("gid=1")),
            List.of());
    value(DEFAULT, "device", "withDevice", devices);
    value(DEFAULT, "trafficClass", "withTrafficClass", Ends.of(-1, 255));
    value(DEFAULT, "rails", "withRails", Ends.of(1, 8));
    Ends guaranteed =
        new Ends("0, or 4 to credits", List.of(0, 4, 32), List.of(1, 3, 33, -1, LONGEST));
    value(DEFAULT, "guaranteedCredits", "withGuaranteedCredits", guaranteed);
    Ends chunks =
        new Ends(
            "a power of two from 4 KiB to 16 MiB",
            List.of(4 << 10, 16 << 20),
            List.of(2 << 10, 4097, 3 << 12, 32 << 20, 0, -1, LONGEST, Integer.MIN_VALUE));
    RdmaSettings wide = DEFAULT.withBulk(4 << 10, LONGEST);
    method(wide, "withBulk", "bulkChunkBytes", 0, chunks, 4 << 10, LONGEST);
    Ends windows =
        new Ends(
            "at least bulkChunkBytes", List.of(4 << 10, LONGEST), List.of((4 << 10) - 1, 0, -1));
    method(wide, "withBulk", "bulkWindowBytes", 1, windows, 4 << 10, LONGEST);
  }

  private static void value(RdmaSettings like, String component, String with, Ends ends) {
    method(like, with, component, 0, ends, (Object) null);
  }

  private static void method(
      RdmaSettings target,
      String name,
      String component,
      int index,
      Ends ends,
      @Nullable Object... arguments) {
    Method method =
        Arrays.stream(RdmaSettings.class.getMethods())
            .filter(one -> one.getName().equals(name))
            .findFirst()
            .orElseThrow();
    ROWS.add(
        new Setting<>(
            "RdmaSettings." + name + "/" + index,
            component,
            ends,
            value -> {
              @Nullable Object[] all = arguments.clone();
              all[index] = value;
              return (RdmaSettings) Setting.call(method, target, all);
            }));
  }

  static Stream<Arguments> beyond() {
    return ROWS.stream()
        .flatMap(row -> row.ends().refused().stream().map(value -> Arguments.of(row, value)));
  }

  @ParameterizedTest
  @MethodSource("beyond")
  void whatIsBeyondIsRefusedWhereItIsSet(Setting<?> setting, Object value) {
    Throwable refusal = catchThrowable(() -> setting.setter().set(value));
    assertThat(refusal)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(setting.name() + " must be " + setting.ends().range())
        .hasMessageEndingWith(", not " + value);
  }

  static Stream<Arguments> within() {
    return ROWS.stream()
        .flatMap(row -> row.ends().taken().stream().map(value -> Arguments.of(row, value)));
  }

  @ParameterizedTest
  @MethodSource("within")
  void withWhatIsWithinObjectsGoThrough(Setting<RdmaSettings> setting, Object value)
      throws Throwable {
    RdmaSettings settings = setting.setter().set(value);
    try (RdmaWorld world = RdmaWorld.with(settings).upgraded()) {
      for (int length : new int[] {1, 9_000, 300_000}) {
        world.push(world.session, Source.of(new byte[length]));
        world.push(world.session, Source.of(world.memory(length)));
      }
      assertThat(world.session.path().link()).isEqualTo("rdma");
    }
  }

  @Test
  void thereIsNothingElseToSet() {
    Set<String> ids = Setting.idsOf(Setting.settersOf(RdmaSettings.class), type -> true);
    Set<String> rows = new TreeSet<>();
    ROWS.forEach(row -> rows.add(row.id()));
    assertThat(rows).isEqualTo(ids);
  }
}
