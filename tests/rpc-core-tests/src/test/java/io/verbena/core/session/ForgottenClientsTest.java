package io.verbena.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.verbena.core.VerbenaClient;
import io.verbena.core.stat.Stats;
import io.verbena.link.runtime.ThrottledLog;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A program that makes a client for each call, and closes none. */
class ForgottenClientsTest {
  @Test
  void areToldOfOnceAndAgainWhenThereAreTwiceAsMany() {
    Logger log = (Logger) LoggerFactory.getLogger(Stats.class);
    ListAppender<ILoggingEvent> told = new ListAppender<>();
    told.start();
    log.addAppender(told);
    log.setAdditive(false);
    ThrottledLog.refill();
    List<VerbenaClient> forgotten = new ArrayList<>();
    try {
      while (Stats.engines().size() < 200) {
        forgotten.add(VerbenaClient.builder().build());
      }
      assertThat(told.list)
          .extracting(ILoggingEvent::getFormattedMessage)
          .hasSize(2)
          .allMatch(line -> line.contains("Share one client") && line.contains("close()"))
          .first()
          .asString()
          .startsWith("64 clients and servers are open");
    } finally {
      forgotten.forEach(VerbenaClient::close);
      log.detachAppender(told);
      log.setAdditive(true);
    }
  }
}
