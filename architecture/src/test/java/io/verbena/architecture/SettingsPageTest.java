package io.verbena.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page of settings has a row for every setting. */
class SettingsPageTest {
  private static final Path PAGE = Path.of("../docs/reference/settings.md");
  private static final Set<String> MAKERS = Set.of("build", "start", "self");

  @Test
  void everySettingHasARow() throws IOException {
    Set<String> rows =
        Files.readAllLines(PAGE).stream()
            .filter(line -> line.startsWith("| `"))
            .map(line -> line.substring(0, line.indexOf('|', 1)))
            .collect(Collectors.toSet());
    Set<String> settings =
        Stream.concat(
                Stream.of("EngineBuilder", "VerbenaClient$Builder", "VerbenaServer$Builder")
                    .flatMap(name -> names(Production.CLASSES.get("io.verbena.core." + name)))
                    .filter(name -> !MAKERS.contains(name)),
                Stream.of("core.SessionLimits", "api.bulk.TransferOptions", "rdma.RdmaSettings")
                    .flatMap(name -> names(Production.CLASSES.get("io.verbena." + name)))
                    .filter(name -> name.startsWith("with")))
            .collect(Collectors.toSet());
    assertThat(settings).contains("connectTimeout", "drainTime", "withMaxCalls", "withCredits");
    assertThat(settings)
        .allSatisfy(
            name -> assertThat(rows).anyMatch(row -> row.matches(".*\\b" + name + "\\b.*")));
  }

  private static Stream<String> names(JavaClass settings) {
    return settings.getMethods().stream()
        .filter(method -> method.getModifiers().contains(JavaModifier.PUBLIC))
        .filter(method -> !method.getModifiers().contains(JavaModifier.STATIC))
        .map(JavaMethod::getName);
  }
}
