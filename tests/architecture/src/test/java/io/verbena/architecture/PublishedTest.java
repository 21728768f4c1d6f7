package io.verbena.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testkit.Root;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The BOM lists what users get: it whole, and nothing else. */
class PublishedTest {
  private static final Path ROOT = Root.find();
  private static final Set<String> OURS_ALONE =
      Set.of("bom", "tools/benchmarks", "verbs/verbs-fabric", "verbs/verbs-testkit");

  private static final Set<String> GROUPS_OF_OURS = Set.of("samples", "tests");

  private static final Pattern LISTED =
      Pattern.compile("<dependency>.*<artifactId>([^<]+)</artifactId>.*</dependency>");
  private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");
  private static final Pattern OWN =
      Pattern.compile("</parent>\\s*<artifactId>([^<]+)</artifactId>");
  private static final Pattern VERBENAS =
      Pattern.compile(
          "<dependency>\\s*(?:<!--[^>]*-->\\s*)?<groupId>io.verbena</groupId>"
              + "\\s*<artifactId>([^<]+)</artifactId>(?!\\s*<scope>test<)");

  /** A dependency on JUnit that users get with the module. */
  private static final Pattern BRINGS_JUNIT =
      Pattern.compile(
          "<groupId>org\\.junit[^<]*</groupId>"
              + "\\s*<artifactId>([^<]+)</artifactId>(?!\\s*<scope>(?:test|provided)<)");

  private static final Pattern EXPORTED = Pattern.compile("exports ([\\w.]+);");
  private static final Pattern COMPARED = Pattern.compile("<include>(io[^<]+)</include>");

  private static final Pattern OF_BOM =
      Pattern.compile("<artifactId>verbena-bom</artifactId>\\s*<version>([^<]+)</version>");

  private static String read(String file) throws IOException {
    return Files.readString(ROOT.resolve(file));
  }

  private static Set<String> all(Pattern pattern, String text) {
    Set<String> found = new TreeSet<>();
    pattern.matcher(text).results().forEach(one -> found.add(one.group(1)));
    return found;
  }

  private static Set<String> published() throws IOException {
    return all(LISTED, read("bom/pom.xml"));
  }

  private static Set<String> directories() throws IOException {
    Set<String> directories = all(MODULE, read("pom.xml"));
    directories.removeIf(
        name ->
            OURS_ALONE.contains(name)
                || GROUPS_OF_OURS.contains(Path.of(name).getName(0).toString()));
    return directories;
  }

  @Test
  void aModuleIsInTheBomUnlessItIsOursAlone() throws IOException {
    Set<String> artifacts = new TreeSet<>();
    for (String directory : directories()) {
      artifacts.addAll(all(OWN, read(directory + "/pom.xml")));
    }
    assertThat(published()).isEqualTo(artifacts);
  }

  @Test
  void whatIsPublishedNeedsNothingOfVerbenaThatIsNot() throws IOException {
    Set<String> needed = new TreeSet<>();
    for (String directory : directories()) {
      needed.addAll(all(VERBENAS, read(directory + "/pom.xml")));
    }
    assertThat(needed).contains("rpc-link", "rpc-mem");
    assertThat(published()).containsAll(needed);
  }

  @Test
  void theVersionOfJUnitIsTheUsers() throws IOException {
    for (String directory : directories()) {
      assertThat(all(BRINGS_JUNIT, read(directory + "/pom.xml"))).as(directory).isEmpty();
    }
  }

  @Test
  void aReleaseIsComparedByThePackagesThatModulesExportToAll() throws IOException {
    Set<String> exported = new TreeSet<>();
    for (String directory : directories()) {
      String descriptor = directory + "/src/main/java/module-info.java";
      if (Files.exists(ROOT.resolve(descriptor))) {
        exported.addAll(all(EXPORTED, read(descriptor)));
      }
    }
    assertThat(all(COMPARED, read("pom.xml"))).isEqualTo(exported);
  }

  @Test
  void aReleaseDropsNoArtifactUnsaid(@TempDir Path staged) throws Exception {
    String version = all(OF_BOM, read("bom/pom.xml")).iterator().next().replace("-SNAPSHOT", "");
    for (String artifact : List.of("verbena-bom", "rpc-core", "rpc-carrier-pigeon", "rpc-drum")) {
      Files.createDirectories(staged.resolve("io/verbena").resolve(artifact).resolve("0.0.9"));
    }
    Process release =
        new ProcessBuilder(
                "bash", ROOT.resolve("build/release").toString(), "--dry-run", staged.toString())
            .redirectErrorStream(true)
            .start();
    try {
      assertThat(release.waitFor(1, TimeUnit.MINUTES)).isTrue();
      assertThat(new String(release.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .startsWith(
              "release: 0.0.9 published what %s does not: rpc-carrier-pigeon rpc-drum. "
                  .formatted(version));
      assertThat(release.exitValue()).isEqualTo(1);
    } finally {
      release.destroyForcibly();
    }
  }

  @Test
  void thePageOnPackagingNamesEachArtifact() throws IOException {
    String page = read("docs/packaging.md");
    assertThat(published()).allMatch(artifact -> page.contains("`" + artifact + "`"));
  }
}
