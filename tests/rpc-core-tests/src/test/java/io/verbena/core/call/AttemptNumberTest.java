package io.verbena.core.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.AttemptNumber;
import io.verbena.api.Metadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The number of the attempt in metadata. */
class AttemptNumberTest {
  private static final Metadata.Key<String> OTHER = Metadata.Key.text("other");

  @Test
  void theFirstOneSaysNothingAndLaterOnesTheirNumber() {
    Metadata own = Metadata.EMPTY.with(OTHER, "mine");
    assertThat(AttemptNumber.mark(own, 1)).isSameAs(own);
    Metadata third = AttemptNumber.mark(AttemptNumber.mark(own, 2), 3);
    assertThat(third.get(OTHER)).isEqualTo("mine");
    assertThat(third.names()).containsExactly("other", "verbena-attempt");
    assertThat(third.size()).isEqualTo(2);
    assertThat(AttemptNumber.of(third)).isEqualTo(3);
    assertThat(AttemptNumber.of(own)).isOne();
  }

  @Test
  void noCallFailsForWantOfRoomForIt() {
    Metadata full = Metadata.EMPTY.with(OTHER, "x".repeat(Metadata.MAX_BYTES - 8));
    assertThat(full.byteSize()).isEqualTo(Metadata.MAX_BYTES);
    assertThat(AttemptNumber.mark(full, 2)).isSameAs(full);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "-2", "two", "99999999999999999999", "٣"})
  void whatAPeerHasMadeUpIsTheFirst(String value) {
    Metadata.Key<String> almost = Metadata.Key.text("xerbena-attempt");
    byte[] bytes = Metadata.EMPTY.with(almost, value).toBytes();
    bytes[1] = 'v'; // after the length of the name
    Metadata told = Metadata.ofBytes(bytes);
    assertThat(told.names()).containsExactly("verbena-attempt");
    assertThat(AttemptNumber.of(told)).isOne();
  }
}
