package io.verbena.observe;

import io.verbena.api.CallContext;
import io.verbena.api.Metadata;
import io.verbena.api.Peer;
import io.verbena.api.ServerInterceptor;
import io.verbena.api.settings.OneLine;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Logs a line for each served call, by the logger {@value #LOGGER} at level INFO. Health checks of
 * channels are not logged. A line has these values in its text, and as key-value pairs of SLF4J for
 * an encoder that writes JSON:
 *
 * <ul>
 *   <li>{@code rpc.method}, {@code rpc.status_code}: {@link Conventions}
 *   <li>{@code peer}, {@code identity}: the peer's address, and its authenticated identity
 *   <li>{@code path}: the link that carries the session's calls
 *   <li>{@code duration_us}: the time of its handler and interceptors, in microseconds
 *   <li>{@code trace_id}: the trace that the call is part of, if its metadata have a {@code
 *       traceparent} of the W3C
 * </ul>
 *
 * <p>Register it as the first interceptor, so that it sees calls that others refuse. The line of a
 * {@code nonBlocking} method is logged on the event loop, so use an appender that does not block.
 * Safe for use by any thread.
 */
public final class AccessLog implements ServerInterceptor {
  /** The name of the logger. */
  public static final String LOGGER = "verbena.access";

  private static final Logger LOG = LoggerFactory.getLogger(LOGGER);
  private static final Metadata.Key<String> TRACEPARENT = Metadata.Key.text("traceparent");

  /** Version, trace, span and flags; later versions may have more parts. */
  private static final Pattern TRACE =
      Pattern.compile("[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?");

  private final LongSupplier nanoTime;

  /** Makes an access log that measures time by the system's clock. */
  public AccessLog() {
    this(System::nanoTime);
  }

  AccessLog(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  @Override
  public void intercept(CallContext call, Next next) throws Exception {
    if (!LOG.isInfoEnabled() || !Conventions.isTold(call.method())) {
      next.run();
      return;
    }
    long began = nanoTime.getAsLong();
    Outcome outcome;
    try {
      outcome = Outcome.answered(next.run());
    } catch (Throwable e) {
      log(call, Outcome.thrown(call, e), nanoTime.getAsLong() - began);
      throw e;
    }
    log(call, outcome, nanoTime.getAsLong() - began);
  }

  private static void log(CallContext call, Outcome outcome, long nanos) {
    String method = call.method().fullName();
    Peer peer = call.session().peer();
    String path = call.session().path().link();
    long micros = TimeUnit.NANOSECONDS.toMicros(nanos);
    LoggingEventBuilder line =
        LOG.atInfo()
            .addKeyValue(Conventions.METHOD, method)
            .addKeyValue(Conventions.STATUS, outcome.status())
            .addKeyValue("peer", peer.address())
            .addKeyValue("identity", peer.identity())
            .addKeyValue("path", path)
            .addKeyValue("duration_us", micros);
    String trace = traceId(call.metadata());
    if (trace != null) {
      line = line.addKeyValue("trace_id", trace);
    }
    line.log(
        "{} {} in {} us, by {} at {} over {}{}",
        method,
        outcome.status(),
        micros,
        OneLine.of(peer.identity()),
        peer.address(),
        path,
        trace == null ? "" : ", trace " + trace);
  }

  private static @Nullable String traceId(Metadata metadata) {
    String parent = metadata.get(TRACEPARENT);
    Matcher known = parent == null ? null : TRACE.matcher(parent);
    return known != null && known.matches() ? known.group(1) : null;
  }
}
