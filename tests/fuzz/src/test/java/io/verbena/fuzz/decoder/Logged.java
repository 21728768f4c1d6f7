package io.verbena.fuzz.decoder;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.LoggerFactory;

/**
 * What is logged as an error. The core goes on whatever is thrown on a loop, and logs it: here it
 * is a finding. Other lines are dropped, since a fuzzer makes millions of them.
 */
final class Logged extends AppenderBase<ILoggingEvent> {
  private static final Logged ALL = new Logged();

  static {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.detachAndStopAllAppenders();
    ALL.setContext(context);
    ALL.start();
    root.addAppender(ALL);
  }

  private final List<String> errors = new ArrayList<>();

  private Logged() {}

  @Override
  protected void append(ILoggingEvent event) {
    if (event.getLevel().isGreaterOrEqual(Level.ERROR)) {
      String thrown =
          event.getThrowableProxy() == null
              ? ""
              : ThrowableProxyUtil.asString(event.getThrowableProxy());
      errors.add(event.getFormattedMessage() + "\n" + thrown);
    }
  }

  /** Fails if anything was logged as an error since this was asked last. */
  static void assertNone() {
    List<String> found = List.copyOf(ALL.errors);
    ALL.errors.clear();
    if (!found.isEmpty()) {
      throw new AssertionError("logged as errors: " + String.join("\n", found));
    }
  }
}
