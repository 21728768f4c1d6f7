package io.verbena.channel.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.channel.Endpoint;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The nodes of all kinds of programs. */
class InstancesTest {
  private static Optional<Endpoint> read(String json) throws IOException {
    return Instances.read(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void aPayloadTellsWeightZoneAndAttributes() throws Exception {
    assertThat(
            read(
                """
                {'name': 'store', 'address': '10.0.0.5', 'port': 7400, 'sslPort': 7401, 'payload':
                  {'@class': 'java.util.HashMap', 'weight': '3', 'zone': 'eu-1', 'disk': 'ssd'}}
                """))
        .contains(new Endpoint("10.0.0.5:7400", 3, "eu-1", Map.of("disk", "ssd")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'address': 'a', 'port': 1}",
        "{'address': 'a', 'port': 1, 'payload': null, 'unknown': []}",
        "{'address': 'a', 'port': 1, 'payload': 'text'}",
        "{'address': 'a', 'port': 1, 'payload': ['java.util.Date', 5]}",
        "{'address': 'a', 'port': 1, 'payload': {'@class': 'no.such.Payload', 'list': [1]}}"
      })
  void aForeignPayloadTellsAnAddress(String json) throws Exception {
    assertThat(read(json)).contains(Endpoint.of("a:1"));
  }

  @ParameterizedTest
  @CsvSource({"store.example, store.example", "a b, ''", "'[1]', ''"})
  void anAuthorityThatIsNoHostIsNone(String told, String authority) throws Exception {
    assertThat(read("{'address': 'a', 'port': 1, 'payload': {'authority': '%s'}}".formatted(told)))
        .contains(Endpoint.of("a:1").withAuthority(authority));
  }

  @ParameterizedTest
  @CsvSource({"5, 5", "'5', 5", "0, 1", "-4, 1", "1.5, 1", "heavy, 1", "999999, 100000", "true, 1"})
  void aWeightThatIsNoneCountsAsOne(String told, int weight) throws Exception {
    assertThat(read("{'address': 'a', 'port': 1, 'payload': {'weight': '%s'}}".formatted(told)))
        .contains(Endpoint.of("a:1").withWeight(weight));
  }

  @Test
  void anIpv6AddressStandsInBrackets() throws Exception {
    assertThat(read("{'address': 'fd00::5', 'port': 7400}"))
        .contains(Endpoint.of("[fd00::5]:7400"));
    assertThat(read("{'address': '[fd00::5]', 'port': 7400}"))
        .contains(Endpoint.of("[fd00::5]:7400"));
  }

  @Test
  void anInstanceThatIsNotEnabledIsLeftOut() throws Exception {
    assertThat(read("{'address': 'a', 'port': 1, 'enabled': false}")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "10.0.0.5:7400",
        "{'address': 'a',",
        "[]",
        "{}",
        "{'address': 'a'}",
        "{'address': 'a', 'port': null, 'sslPort': 7400}",
        "{'address': 'a', 'port': 65536}",
        "{'address': ' ', 'port': 7400}",
        "{'address': 'a b', 'port': 7400}",
        "{'address': 'a/b', 'port': 7400}",
        "{'address': 'a|b', 'port': 7400}"
      })
  void malformedDataIsRefused(String json) {
    assertThatThrownBy(() -> read(json)).isInstanceOf(IOException.class);
  }
}
