package io.verbena.link.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Ten lines at once, then one in ten seconds, and none is uncounted. */
class ThrottledLogTest {
  private static final Logger LOG = (Logger) LoggerFactory.getLogger(ThrottledLogTest.class);

  private final ListAppender<ILoggingEvent> told = new ListAppender<>();
  private long now = Long.MAX_VALUE - 5; // clocks wrap
  private final ThrottledLog log = new ThrottledLog(LOG, () -> now);

  @BeforeEach
  void listen() {
    told.start();
    LOG.addAppender(told);
    LOG.setAdditive(false);
  }

  @AfterEach
  void close() {
    LOG.detachAppender(told);
    LOG.setAdditive(true);
  }

  private List<String> lines() {
    List<String> lines = told.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    told.list.clear();
    return lines;
  }

  private void happens(int times) {
    for (int i = 0; i < times; i++) {
      log.warn("{} did {}", "somebody", "it");
    }
  }

  @Test
  void theFirstLinesAreTold() {
    happens(ThrottledLog.AT_ONCE);
    assertThat(lines()).hasSize(ThrottledLog.AT_ONCE).containsOnly("somebody did it");
  }

  @Test
  void wordsOfOthersMakeNoLineAndNoDirectionOfTheirOwn() {
    log.warn("{} did {}", "ann\nWARN bob", "it\u202e\u001b[31m");
    assertThat(lines()).containsExactly("ann\\u000aWARN bob did it\\u202e\\u001b[31m");
  }

  @Test
  void ofAFloodOneLineIsToldInEachIntervalWithTheNumberLeftOut() {
    happens(1_000_000);
    assertThat(lines()).hasSize(ThrottledLog.AT_ONCE);
    now += ThrottledLog.ONE_MORE.toNanos();
    happens(1_000_000);
    assertThat(lines()).containsExactly("somebody did it (and 999990 more like this before)");
    assertThat(log.count()).isEqualTo(2_000_000);
  }

  @Test
  void aQuietTimeGivesTheLinesBack() {
    happens(100);
    lines();
    now += ThrottledLog.AT_ONCE * ThrottledLog.ONE_MORE.toNanos();
    happens(100);
    assertThat(lines()).hasSize(ThrottledLog.AT_ONCE);
  }

  @Test
  void whatHasNoWordsIsToldAllTheSame() {
    Throwable wordless =
        new RuntimeException() {
          private static final long serialVersionUID = 1L;

          @Override
          public String getMessage() {
            throw new AssertionError();
          }
        };
    log.error("{} failed", "it", wordless);
    assertThat(lines()).hasSize(1).first().asString().contains("it failed");
  }
}
