package io.verbena.bench.counts;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Instructions are told by their first bytes, of which the first in memory is the last here. */
final class StepperTest {
  @ParameterizedTest
  @CsvSource({
    "0x240c8300_f0, true, lock or dword [rsp]",
    "0x0a_b10f_f0, true, lock cmpxchg [rdx]",
    "0x0a_b10f_4df0, true, lock cmpxchg [r10] of 64 bits",
    "0x0a_8748, true, xchg [rdx] of 64 bits",
    "0xd0_8748, false, xchg of two registers",
    "0x0a_8b48, false, mov from [rdx]",
    "0x90_6666, false, nop"
  })
  void tellsWhatLocksMemory(String bytes, boolean locks, String words) {
    long memory = Long.decode(bytes.replace("_", ""));
    assertThat(Stepper.locks(memory)).as(words).isEqualTo(locks);
  }
}
