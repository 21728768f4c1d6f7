package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaClient;
import io.verbena.tcp.TcpLinkProvider;
import io.verbena.testkit.callers.SteppingCallersContract;
import org.junit.jupiter.api.BeforeEach;

/** Blocking callers step the loop in a JVM without options, where the JDK's selectors wait. */
class SteppingCallersTest extends SteppingCallersContract {
  @BeforeEach
  void assertThatTheJvmHasNoOptions() {
    assertThat(new TcpLinkProvider().toString()).startsWith("nio");
  }

  @Override
  protected String address() {
    return "127.0.0.1:0";
  }

  /** They would wait at the JDK's selectors. */
  @Override
  protected boolean virtualThreadsStep() {
    return false;
  }

  @Override
  protected VerbenaClient.Builder settings(VerbenaClient.Builder client) {
    return client.path(PathPolicy.TCP_ONLY);
  }
}
