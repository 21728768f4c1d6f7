package io.verbena.rdma;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.verbena.link.runtime.ThrottledLog;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What is logged from now on until it is closed, which is printed nowhere. */
final class CapturedLog implements AutoCloseable {
  private final Logger logger;
  private final ListAppender<ILoggingEvent> told = new ListAppender<>();

  /**
   * Begins.
   *
   * @param name of a logger, with all below it
   * @param level the least that is of interest
   */
  CapturedLog(String name, Level level) {
    logger = (Logger) LoggerFactory.getLogger(name);
    ThrottledLog.refill();
    told.start();
    logger.addAppender(told);
    logger.setAdditive(false);
    logger.setLevel(level);
  }

  /** Returns the messages since the last time. */
  List<String> take() {
    List<String> lines = told.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    told.list.clear();
    return lines;
  }

  @Override
  public void close() {
    logger.detachAppender(told);
    logger.setAdditive(true);
    logger.setLevel(null);
  }
}
