package io.verbena.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.unix.Errors;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A file that the kernel cannot send from is told from a connection that is lost. */
class FilePieceTest {
  @ParameterizedTest
  @CsvSource({
    "sendfile, 22, true",
    "sendfile, 1, true",
    "sendfile, 38, true",
    "sendfile, 32, false",
    "sendfile, 104, false",
    "write, 22, false"
  })
  void anErrorOfTheFileIsARefusal(String call, int errno, boolean refusal) {
    IOException failure = Errors.newIOException(call, -errno);
    assertThat(FilePiece.isRefusal(failure)).isEqualTo(refusal);
  }
}
