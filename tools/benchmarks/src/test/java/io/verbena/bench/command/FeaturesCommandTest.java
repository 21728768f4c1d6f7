package io.verbena.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.bench.Instruments;
import io.verbena.bench.features.Feature;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The command measures every feature, each of whose calls is answered. */
class FeaturesCommandTest {
  @Tag("long")
  @Test
  void printsARowForEachFeature() {
    StringWriter printed = new StringWriter();
    int status =
        Instruments.commandLine()
            .setOut(new PrintWriter(printed))
            .execute("features", "--warmup", "1", "--rounds", "1", "--recorded");
    assertThat(status).isZero();
    for (Feature feature : Feature.all()) {
      assertThat(printed.toString())
          .containsPattern("(?m)^" + Pattern.quote(feature.title()) + " +[1-9]");
    }
  }
}
