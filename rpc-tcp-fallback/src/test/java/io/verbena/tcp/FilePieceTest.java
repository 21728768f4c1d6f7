package io.verbena.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.unix.Errors;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A file that the kernel cannot send from is told from a connection that is lost. */
class FilePieceTest {
  @ParameterizedTest
  @CsvSource({"22, true", "1, true", "38, true", "32, false", "104, false"})
  void anErrorOfTheFileIsARefusal(int errno, boolean refusal) {
    IOException failure = Errors.newIOException("sendfile", -errno);
    assertThat(FilePiece.isRefusal(failure)).isEqualTo(refusal);
  }
}
