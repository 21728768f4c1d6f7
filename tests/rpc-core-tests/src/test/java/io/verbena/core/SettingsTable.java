package io.verbena.core;

import static io.verbena.testkit.Ends.FOR_EVER;

import io.verbena.api.CallOptions;
import io.verbena.api.ClientInterceptor;
import io.verbena.api.Metadata;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.link.TlsOptions;
import io.verbena.testkit.Ends;
import io.verbena.testkit.Setting;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Everything that users may set, and its ends: a row each. */
final class SettingsTable {
  static final Class<?> CLIENT = VerbenaClient.Builder.class;
  static final Class<?> SERVER = VerbenaServer.Builder.class;

  private static final Duration MILLI = Duration.ofMillis(1);
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration YEAR = Duration.ofDays(365);
  private static final Ends POSITIVE = Ends.of("longer than 0", Duration.ofNanos(1), FOR_EVER);
  private static final Ends BYTES = Ends.of(1L, Long.MAX_VALUE);

  /** Of objects, whose length no other setting bounds. */
  private static final Ends LENGTHS = new Ends("at least 0", List.of(0L, 7L), List.of(-1L));

  private static final SSLContext CONTEXT = anyContext();

  private final List<Setting<SettingsTrial>> rows = new ArrayList<>();

  private SettingsTable() {}

  /** Returns all rows. */
  static List<Setting<SettingsTrial>> rows() {
    SettingsTable table = new SettingsTable();
    table.ofBuilders();
    table.ofSessionLimits();
    table.ofOptions();
    table.ofObjects();
    return table.rows;
  }

  private void ofBuilders() {
    for (Class<?> builder : List.of(CLIENT, SERVER)) {
      setter(builder, "limits", Ends.required(SessionLimits.DEFAULT));
      setter(builder, "handlers", Ends.required());
      setter(builder, "slotMemoryBytes", Ends.of(1L, 16L << 30));
      setter(builder, "maxAssemblyBytes", BYTES);
      setter(builder, "maxReplyBytes", BYTES);
      setter(builder, "bulkMemoryBytes", Ends.of(1L << 20, Long.MAX_VALUE));
      setter(builder, "largeValueBytes", BYTES);
      setter(builder, "pinCutOffBytes", BYTES);
      setter(builder, "railCutOffBytes", BYTES);
      setter(builder, "compressFromBytes", Ends.of(1, Integer.MAX_VALUE));
      setter(builder, "loops", Ends.of(1, 1024));
      setter(builder, "spin", Ends.of("at least 0", Duration.ZERO, FOR_EVER));
      setter(builder, "pollAlways", Ends.any("set"));
      setter(builder, "connectTimeout", Ends.of("1 ms to a day", MILLI, DAY));
      setter(builder, "tls", Ends.required());
      setter(builder, "path", Ends.required(PathPolicy.PREFER_RDMA, PathPolicy.TCP_ONLY));
      setter(builder, "allowPlaintextRdma", Ends.any("set"));
      setter(builder, "upgrades", Ends.required());
      setter(builder, "sessionListener", Ends.required());
      setter(builder, "clientInterceptor", Ends.required());
      setter(builder, "serverInterceptor", Ends.required());
    }
    setter(CLIENT, "token", Ends.required());
    setter(CLIENT, "keepOpen", Ends.any("set"));
    for (String name :
        List.of("listen", "serve", "authenticator", "onSession", "gateway", "random")) {
      setter(SERVER, name, Ends.required());
    }
    Source one = Source.of(new byte[1]);
    setter(SERVER, null, "publish", "name", 0, Ends.required("ab/c"), null, one, DAY);
    setter(SERVER, null, "publish", "source", 1, Ends.required(one), "ab/c", null, DAY);
    setter(SERVER, null, "publish", "lease", 2, POSITIVE, "ab/c", one, null);
    setter(SERVER, "maxSessions", Ends.of(1, Integer.MAX_VALUE));
    setter(SERVER, null, "tellContracts", "tellContracts", 0, Ends.any(false), (Object) null);
    setter(SERVER, "drainTime", Ends.of("0 to a day", Duration.ZERO, DAY));
    setter(SERVER, "closeOnShutdown", Ends.any("set"));
    setter(SERVER, "concurrencyLimit", Ends.required(ConcurrencyLimit.DEFAULT));
  }

  private void ofSessionLimits() {
    SessionLimits limits = SessionLimits.DEFAULT;
    value(limits, "defaultTimeout", "withDefaultTimeout", POSITIVE);
    value(limits, "maxCalls", "withMaxCalls", Ends.of(64, Integer.MAX_VALUE));
    value(limits, "maxMessageBytes", "withMaxMessageBytes", Ends.of(4096, Integer.MAX_VALUE));
    value(limits, "maxDepth", "withMaxDepth", Ends.of(8, 1024));
    value(limits, "maxKeptBytes", "withMaxKeptBytes", Ends.of(0L, Long.MAX_VALUE));
    Ends windows = Ends.of("0 to 365 days", Duration.ZERO, YEAR);
    value(limits, "resumeWindow", "withResumeWindow", windows);

    Ends asked = Ends.of("0 to a minute", Duration.ZERO, Duration.ofMinutes(1));
    value(limits, "leastPingInterval", "withLeastPingInterval", asked);
    Ends pings = Ends.of("at least", MILLI, FOR_EVER.dividedBy(2)); // 1 ms, or deadAfter is twice
    Class<?> type = SessionLimits.class;
    setter(type, limits, "withKeepalive", "pingInterval", 0, pings, MILLI, FOR_EVER);
    Ends deaths = Ends.of("at least twice pingInterval", MILLI.multipliedBy(2), FOR_EVER);
    setter(type, limits, "withKeepalive", "deadAfter", 1, deaths, MILLI, FOR_EVER);
  }

  private void ofOptions() {
    CallOptions call = CallOptions.DEFAULT;
    value(call, "timeout", "withTimeout", POSITIVE.orNull());
    setter(CallOptions.class, call, "timeout", "timeout", 0, POSITIVE.orNull(), (Object) null);
    value(call, "metadata", "withMetadata", Ends.required(Metadata.EMPTY));
    Ends interceptors = Ends.required((Object) new ClientInterceptor[0]);
    setter(
        CallOptions.class,
        call,
        "withInterceptors",
        "interceptors",
        0,
        interceptors,
        (Object) null);
    Arena arena = new Unclosed(Arena.ofAuto());
    setter(
        CallOptions.class,
        call,
        "withResultsIn",
        "resultsIn",
        0,
        Ends.required(arena),
        (Object) null);
    value(TransferOptions.DEFAULT, "timeout", "withTimeout", POSITIVE.orNull());
    setter(TransferOptions.class, "withChecksum", Ends.any("set"));
    setter(TransferOptions.class, "withoutChecksum", Ends.any("set"));
    TlsOptions tls = TlsOptions.client(CONTEXT);
    Supplier<SSLContext> contexts = () -> CONTEXT;
    setter(TlsOptions.class, tls, "of", "contexts", 0, Ends.required(contexts), contexts);
    Ends either = Ends.any(true, false);
    for (String check : List.of("requireClientCertificate", "verifyHostName")) {
      String with = "with" + Character.toUpperCase(check.charAt(0)) + check.substring(1);
      setter(TlsOptions.class, tls, with, check, 0, either, false);
    }
    for (String made : List.of("client", "server", "mutual")) {
      setter(TlsOptions.class, tls, made, "context", 0, Ends.required(CONTEXT), CONTEXT);
    }
  }

  /** An arena that stays open though JUnit closes each argument of a test. */
  private record Unclosed(Arena arena) implements Arena {
    @Override
    public MemorySegment allocate(long bytes, long alignment) {
      return arena.allocate(bytes, alignment);
    }

    @Override
    public MemorySegment.Scope scope() {
      return arena.scope();
    }

    @Override
    public void close() {}
  }

  @SuppressWarnings("NullAway") // null is one of the wrong values that users may pass
  private void ofObjects() {
    for (String type : List.of("BulkObjects", "VerbenaServer")) {
      row(
          type + ".publish/1",
          "lease",
          POSITIVE,
          t -> SettingsTrial.publishing(null, (Duration) t));
      row(type + ".publish/2", "lease", POSITIVE, t -> SettingsTrial.publishing("a", (Duration) t));
    }
    Ends within = Ends.of(0L, SettingsTrial.BYTES);
    row("BulkObjects.fetch/1", "offset", within, n -> SettingsTrial.fetching((Long) n, 0));
    row("BulkObjects.fetch/2", "length", within, n -> SettingsTrial.fetching(0, (Long) n));
    Ends waits = Ends.required(Duration.ofHours(2), FOR_EVER);
    row("Transfer.get/0", "timeout", waits, t -> SettingsTrial.waiting((Duration) t));
    Ends capacities = new Ends("at least 0", List.of(Long.MAX_VALUE), LENGTHS.refused());
    row("Landing.pooled/0", "capacity", capacities, n -> SettingsTrial.into((Long) n));
    row(
        "Source.generator/0",
        "length",
        LENGTHS,
        n -> SettingsTrial.from(Source.generator((Long) n, (chunk, offset) -> {})));
    Path file = Path.of("pom.xml");
    row(
        "Source.file/1",
        "offset",
        LENGTHS,
        n -> SettingsTrial.from(Source.file(file, (Long) n, 1)));
    row(
        "Source.file/2",
        "length",
        LENGTHS,
        n -> SettingsTrial.from(Source.file(file, 1, (Long) n)));
  }

  // ---- rows ----

  private void row(String id, String name, Ends ends, Setting.Setter<SettingsTrial> setter) {
    rows.add(new Setting<>(id, name, ends, setter));
  }

  /** An option, and the method that makes other options with it. */
  private void value(Object like, String option, String method, Ends ends) {
    setter(like.getClass(), like, method, option, 0, ends, (Object) null);
  }

  /** A method with a parameter, or with none. */
  private void setter(Class<?> type, String name, Ends ends) {
    Object target = type == TransferOptions.class ? TransferOptions.DEFAULT : null;
    if (ends.range().equals("anything")) {
      String id = Setting.nameOf(type) + "." + name;
      row(id, name, ends, value -> set(type, target, name));
    } else {
      setter(type, target, name, name, 0, ends, (Object) null);
    }
  }

  /**
   * A parameter of a method.
   *
   * @param target whose method it is; null if it is static, or a builder's
   * @param name what messages call it
   * @param arguments values of all of them
   */
  private void setter(
      Class<?> type,
      @Nullable Object target,
      String method,
      String name,
      int index,
      Ends ends,
      @Nullable Object... arguments) {
    String id = Setting.nameOf(type) + "." + method + "/" + index;
    row(
        id,
        name,
        ends,
        value -> {
          @Nullable Object[] all = arguments.clone();
          all[index] = value;
          return set(type, target, method, all);
        });
  }

  private static SettingsTrial set(
      Class<?> type, @Nullable Object target, String name, @Nullable Object... arguments)
      throws Throwable {
    Method method =
        Arrays.stream(type.getMethods())
            .filter(one -> one.getName().equals(name))
            .filter(one -> one.getParameterCount() == arguments.length)
            .findFirst()
            .orElseThrow(() -> new AssertionError("there is no " + type + "." + name));
    if (type == CLIENT) {
      Setting.call(method, VerbenaClient.builder(), arguments);
      return new SettingsTrial().client(builder -> again(method, builder, arguments));
    } else if (type == SERVER) {
      Setting.call(method, VerbenaServer.builder(), arguments);
      return new SettingsTrial().server(builder -> again(method, builder, arguments));
    }
    return SettingsTrial.with(Setting.call(method, target, arguments));
  }

  /** A value that was accepted once. */
  private static void again(Method method, Object builder, @Nullable Object... arguments) {
    try {
      Setting.call(method, builder, arguments);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  private static SSLContext anyContext() {
    try {
      return SSLContext.getDefault();
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
