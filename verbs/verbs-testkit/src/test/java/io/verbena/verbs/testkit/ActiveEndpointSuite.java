package io.verbena.verbs.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.disni.DisniBridge;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * DiSNI's own active endpoint groups, from its published jar: their threads do what stands between
 * a completion and the program. For providers whose waits block.
 */
public abstract class ActiveEndpointSuite extends VerbsSuite {
  private static final int PORT = 18_530;

  @Test
  @Timeout(60)
  void anUnmodifiedProgramPlaysPingPong() throws Exception {
    InetSocketAddress address = new InetSocketAddress(harness.address(), PORT);
    DisniBridge.install(harness.passive());
    ActiveProgram.Server server = new ActiveProgram.Server(address);
    DisniBridge.install(harness.active());
    assertThat(ActiveProgram.call(address)).isEqualTo(100);
    server.end();
  }
}
