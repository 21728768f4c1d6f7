package io.verbena.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.verbena.api.CallContext;
import io.verbena.api.CallOptions;
import io.verbena.api.Session;
import io.verbena.api.bulk.BulkObjects;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.link.TlsOptions;
import io.verbena.testkit.Setting;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever may be set is refused where it is set, in words that say what it is, its range, and what
 * it was set to; or calls and transfers go through with it.
 */
class SettingsTest {
  private static final List<Setting<SettingsTrial>> ROWS = SettingsTable.rows();

  /** What users set and hand over. */
  private static final List<Class<?>> OPTIONS =
      List.of(SessionLimits.class, CallOptions.class, TransferOptions.class, TlsOptions.class);

  /** The methods that take a number or a time of the user's. */
  private static final List<Class<?>> CALLED =
      List.of(
          VerbenaClient.class,
          VerbenaServer.class,
          Session.class,
          CallContext.class,
          BulkObjects.class,
          Transfer.class,
          Landing.class,
          Source.class);

  /** Loops that tests step themselves. */
  private static final String FOR_TESTS = "steppedBy";

  static Stream<Arguments> beyond() {
    return ROWS.stream()
        .flatMap(row -> row.ends().refused().stream().map(value -> Arguments.of(row, value)));
  }

  @ParameterizedTest
  @MethodSource("beyond")
  void whatIsBeyondIsRefusedWhereItIsSet(Setting<?> setting, @Nullable Object value) {
    Throwable refusal = catchThrowable(() -> setting.setter().set(value));
    assertThat(refusal)
        .isInstanceOf(value == null ? NullPointerException.class : IllegalArgumentException.class)
        .hasMessageContaining(setting.name())
        .hasMessageContaining(value == null ? "" : setting.ends().range())
        .hasMessageContaining(String.valueOf(value));
  }

  static Stream<Arguments> within() {
    return ROWS.stream()
        .flatMap(row -> row.ends().taken().stream().map(value -> Arguments.of(row, value)));
  }

  @ParameterizedTest
  @MethodSource("within")
  void withWhatIsWithinCallsAndTransfersGoThrough(Setting<SettingsTrial> setting, Object value)
      throws Throwable {
    setting.setter().set(value).inSteps();
  }

  static Stream<Arguments> endless() {
    return within().filter(row -> !(row.get()[1] instanceof Duration time) || isLong(time));
  }

  private static boolean isLong(Duration time) {
    return time.compareTo(Duration.ofHours(1)) > 0;
  }

  @ParameterizedTest
  @MethodSource("endless")
  void theyGoThroughWhereThreadsWait(Setting<SettingsTrial> setting, Object value)
      throws Throwable {
    setting.setter().set(value).inThreads();
  }

  @Test
  void thereIsNothingElseToSet() {
    Set<String> ids = new TreeSet<>();
    for (Class<?> builder : List.of(SettingsTable.CLIENT, SettingsTable.SERVER)) {
      List<Method> setters = Setting.settersOf(builder);
      setters.removeIf(method -> method.getName().equals(FOR_TESTS));
      Setting.idsOf(setters, type -> true) // what both have is declared above them
          .forEach(id -> ids.add(id.replace("EngineBuilder", Setting.nameOf(builder))));
    }
    OPTIONS.forEach(type -> ids.addAll(Setting.idsOf(Setting.settersOf(type), any -> true)));
    for (Class<?> type : CALLED) {
      List<Method> called = new ArrayList<>(List.of(type.getMethods()));
      called.removeAll(List.of(Object.class.getMethods()));
      ids.addAll(Setting.idsOf(called, Set.of(int.class, long.class, Duration.class)::contains));
    }
    Set<String> rows = new TreeSet<>();
    ROWS.forEach(row -> rows.add(row.id()));
    assertThat(rows).isEqualTo(ids);
  }
}
