package io.verbena.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.core.VerbenaClient;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A slip in a target is told when the channel is built, with what to write instead. */
class TargetsTest {
  private final VerbenaClient client = VerbenaClient.builder().build();

  @AfterEach
  void close() {
    client.close();
  }

  private List<String> addresses(String target) {
    try (BalancedChannel channel = BalancedChannel.builder(client, target).build()) {
      return channel.stat().endpoints().stream().map(one -> one.endpoint().address()).toList();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          127.0.0.1:7501                | write static:127.0.0.1:7501
          127.0.0.1:7501,127.0.0.1:7502 | write static:127.0.0.1:7501,127.0.0.1:7502
          localhost:7501                | write static:localhost:7501
          [::1]:7501                    | write static:[::1]:7501
          127.0.0.1                     | write static:host:port
          two words                     | write static:host:port
          zk://x                        | write static:host:port
          ''                            | write static:host:port
          """)
  void oneThatNobodyKnowsNamesThoseThatAreKnown(String target, String cure) {
    assertThatThrownBy(() -> addresses(target))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no resolver knows targets such as '" + target + "'; known are [")
        .hasMessageContaining("static")
        .hasMessageEndingWith(cure);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "static:127.0.0.1:99999,127.0.0.1:7501",
        "static:127.0.0.1:7501;127.0.0.1:7502",
        "static:127.0.0.1",
        "static:tpc://127.0.0.1:7501",
        "static:",
        "static:a b:1",
        "dns:///store:99999",
        "dns:///a b:1"
      })
  void aServerWhoseAddressIsNoneIsNoServerThatIsDown(String target) {
    assertThatThrownBy(() -> addresses(target))
        .isInstanceOf(IllegalArgumentException.class)
        .message()
        .containsAnyOf("write", "no link for 'tpc://'")
        .doesNotContain("Illegal character in scheme");
  }

  @Test
  void blanksCountForNothing() {
    assertThat(addresses(" static: localhost:1 , tcp://localhost:2,mem://c "))
        .containsExactly("localhost:1", "tcp://localhost:2", "mem://c");
  }
}
