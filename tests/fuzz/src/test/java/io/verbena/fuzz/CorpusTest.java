package io.verbena.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every stored input, and what real peers say, once more; without the fuzzer. */
class CorpusTest {
  @ParameterizedTest
  @EnumSource
  void keepsToItsRulesWhateverWasFound(Targets target) throws Exception {
    Target made = target.make();
    List<byte[]> seeds = made.seeds();
    assertThat(seeds).isNotEmpty();
    for (byte[] seed : seeds) {
      Meter.run(made, seed);
    }
    for (byte[] input : Corpus.of(target)) {
      try {
        Meter.run(made, input);
      } catch (Throwable finding) {
        throw new AssertionError("with the stored input " + Corpus.line(input), finding);
      }
    }
  }
}
