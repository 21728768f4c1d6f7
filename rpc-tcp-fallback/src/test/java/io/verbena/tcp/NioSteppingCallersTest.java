package io.verbena.tcp;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Blocking callers over TCP where the JDK's selectors wait. */
final class NioSteppingCallersTest extends TcpSteppingCallersTest {
  private static final String CHOICE = "verbena.link.tcp";

  @BeforeAll
  static void chooseSelectors() {
    System.setProperty(CHOICE, NioLinkProvider.class.getName());
  }

  @AfterAll
  static void chooseTheBest() {
    System.clearProperty(CHOICE);
  }

  @Override
  protected boolean virtualThreadsStep() {
    return false;
  }
}
