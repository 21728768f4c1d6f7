package io.verbena.cli.call;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShellWordsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {"failed before it was sent: UNAVAILABLE", "was answered with UNAVAILABLE"})
  void sayOnceThatAStreamFailed(String question) {
    assertThat(
            ShellWords.of(
                "the stream of shop.v1/watch failed: verbena.streams/next of shop.v1/watch "
                    + question
                    + ": its server is gone"))
        .isEqualTo("the stream of shop.v1/watch failed: its server is gone");
  }

  @Test
  void nameTheTimeOut() {
    assertThat(ShellWords.of("check the address, or allow more time by connectTimeout"))
        .isEqualTo("check the address, or allow more time with --timeout");
  }

  /** Programs are told of classes. */
  @Test
  void nameTheOptionsOfTls() {
    assertThat(
            ShellWords.of(
                "have this end trust its issuer, by TlsFiles.trust(…) or"
                    + " TlsFiles.identity(…).trusting(…)"))
        .isEqualTo("name its issuer's certificate with --tls-ca");
    assertThat(
            ShellWords.of(
                "the peer speaks TLS, and this end does not: give both ends TLS options, or"
                    + " neither"))
        .isEqualTo(
            "the peer speaks TLS, and this end does not: name its issuer's certificate with"
                + " --tls-ca");
    assertThat(
            ShellWords.of(
                "expected TLS, but the peer sent plaintext: give both ends TLS options, or"
                    + " neither"))
        .endsWith("plaintext: leave --tls-ca and --tls-cert away");
    assertThat(ShellWords.of("it wants one; give this end one by TlsFiles.identity(…)"))
        .isEqualTo("it wants one; give one with --tls-cert and --tls-key");
  }
}
