package io.verbena.core.contract;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.verbena.link.runtime.ThrottledLog;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** A difference between two versions is logged once, for any number of sessions. */
class ContractLogTest {
  private static final Logger LOG =
      (Logger) LoggerFactory.getLogger("io.verbena.core.contract.ContractLog");
  private static final String SHOP =
      """
      package shop;
      import io.verbena.api.*;
      @RpcService(name = "told.v1")
      public interface Shop {
        @RpcMethod(id = 1) Item find(String text, String language);
        record Item(String name, long price) {}
      }
      """;

  @TempDir private static Path directory;
  private final ListAppender<ILoggingEvent> told = new ListAppender<>();

  @BeforeEach
  void listen() {
    ThrottledLog.refill();
    told.start();
    LOG.addAppender(told);
    LOG.setAdditive(false);
    LOG.setLevel(Level.INFO);
  }

  @AfterEach
  void stop() {
    LOG.detachAppender(told);
    LOG.setAdditive(true);
    LOG.setLevel(null);
  }

  private void callTwice(String client, String server) throws Exception {
    ContractVersion mine = ContractVersion.compile(client, directory);
    ContractVersion theirs = ContractVersion.compile(server, directory);
    for (int i = 0; i < 2; i++) {
      try (Pairing pair = new Pairing(mine, theirs, true)) {
        pair.callAll();
      }
    }
  }

  private List<String> lines(Level level) {
    return told.list.stream()
        .filter(event -> event.getLevel() == level)
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  @Test
  void namesThatChangedAndAMemberThatWasRemoved() throws Exception {
    callTwice(SHOP, SHOP.replace("String name, long price", "String title"));
    assertThat(lines(Level.INFO))
        .singleElement()
        .asString()
        .contains("told.v1")
        .contains("member 1 is 'name' here and 'title' there")
        .contains("'price: long' exists only here")
        .contains("reads as its default here");
    assertThat(lines(Level.WARN)).isEmpty();
  }

  @Test
  void whatDoesNotFit() throws Exception {
    callTwice(SHOP, SHOP.replace("String text, String language", "String language, String text"));
    assertThat(lines(Level.WARN))
        .singleElement()
        .asString()
        .contains("calls of these methods fail")
        .contains("parameter 1");
  }

  @Test
  void nothingWhereTheContractsAreTheSame() throws Exception {
    callTwice(SHOP, SHOP);
    assertThat(told.list).isEmpty();
  }
}
