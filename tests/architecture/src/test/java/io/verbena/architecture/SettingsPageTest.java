package io.verbena.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import io.verbena.testkit.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page of settings has a row for every setting. */
class SettingsPageTest {
  private static final Path PAGE = Root.resolve("docs/reference/settings.md");
  private static final Set<String> MAKERS = Set.of("build", "start", "self", "register");

  @Test
  void everySettingHasARow() throws IOException {
    Set<String> settings =
        Stream.concat(
                Stream.of("EngineBuilder", "VerbenaClient$Builder", "VerbenaServer$Builder")
                    .flatMap(name -> setters("core." + name)),
                Stream.of(
                        "core.SessionLimits",
                        "core.ConcurrencyLimit",
                        "api.CallOptions",
                        "api.bulk.TransferOptions",
                        "http.HttpSettings",
                        "rdma.RdmaSettings")
                    .flatMap(SettingsPageTest::setters)
                    .filter(name -> name.startsWith("with")))
            .collect(Collectors.toSet());
    assertThat(settings).contains("connectTimeout", "drainTime", "withMaxCalls", "withCredits");
    assertAllIn(rows(""), settings);
  }

  @Test
  void everySettingOfAChannelHasARowAmongThose() throws IOException {
    Set<String> settings =
        Stream.concat(
                setters("channel.BalancedChannel$Builder"),
                Stream.of("Retries", "Backoff", "Ejection").flatMap(SettingsPageTest::parts))
            .collect(Collectors.toSet());
    assertThat(settings).contains("hedgeAfter", "Retries.tokensPerCall", "Backoff.longest");
    assertAllIn(rows("Of a channel"), settings);
  }

  @Test
  void everySettingOfAServerInZooKeeperHasARowAmongThose() throws IOException {
    Set<String> settings =
        setters("channel.zookeeper.ZooKeeperRegistration$Builder").collect(Collectors.toSet());
    assertThat(settings).contains("advertise");
    assertAllIn(rows("Of a server in ZooKeeper"), settings);
  }

  private static void assertAllIn(Set<String> rows, Set<String> settings) {
    assertThat(settings)
        .allSatisfy(
            name -> assertThat(rows).anyMatch(row -> row.matches("(?:.*\\W)?" + name + "\\b.*")));
  }

  /** The first cells of the page's rows, in the section whose heading begins so. */
  private static Set<String> rows(String heading) throws IOException {
    return Arrays.stream(Files.readString(PAGE).split("\n## "))
        .filter(section -> section.startsWith(heading))
        .flatMap(String::lines)
        .filter(line -> line.startsWith("| `"))
        .map(line -> line.substring(0, line.indexOf('|', 1)))
        .collect(Collectors.toSet());
  }

  private static Stream<String> setters(String name) {
    return Production.CLASSES.get("io.verbena." + name).getMethods().stream()
        .filter(method -> method.getModifiers().contains(JavaModifier.PUBLIC))
        .filter(method -> !method.getModifiers().contains(JavaModifier.STATIC))
        .map(JavaMethod::getName)
        .filter(method -> !MAKERS.contains(method));
  }

  /** The options that have a method each. */
  private static Stream<String> parts(String name) {
    return Production.CLASSES.get("io.verbena.channel." + name + "$Values").getFields().stream()
        .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
        .map(field -> name + "." + field.getName());
  }
}
