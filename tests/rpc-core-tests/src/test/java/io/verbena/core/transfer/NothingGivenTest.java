package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Source;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Null is refused where it is given, not on a loop later. */
@SuppressWarnings("NullAway")
class NothingGivenTest {
  static Stream<Arguments> given() {
    return Stream.of(
        of("path", () -> Landing.file(null)),
        of("consumer", () -> Landing.chunks(null)),
        of("path", () -> Source.file((Path) null, 0, 1)),
        of("channel", () -> Source.file((FileChannel) null, 0, 1)),
        of("filler", () -> Source.generator(1, null)));
  }

  private static Arguments of(String what, ThrowingCallable made) {
    return Arguments.of(what, made);
  }

  @ParameterizedTest
  @MethodSource("given")
  void isRefusedByItsName(String what, ThrowingCallable made) {
    assertThatNullPointerException().isThrownBy(made).withMessageContaining(what);
  }
}
