package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testkit.Root;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the README and the quick start show of the first program is the sample, and does what they
 * say.
 */
class ReadmeTest {
  private static final Path ROOT = Root.find();
  private static final String PROGRAM = "samples/hello/src/main/java/hello/Hello.java";

  @TempDir private Path directory;

  private static final String README = "README.md";
  private static final String QUICK_START = "docs/quick-start.md";
  private static final int MOST_WORDS = 450;

  /** The program is read as well. */
  @Test
  void itIsReadInTwoMinutes() throws IOException {
    String seen =
        Files.readString(ROOT.resolve(README))
            .replaceAll("<!--.*?-->", "")
            .replaceAll("]\\([^)]*\\)", "]");
    assertThat(Pattern.compile("\\S*[A-Za-z0-9]\\S*").matcher(seen).results())
        .hasSizeLessThanOrEqualTo(MOST_WORDS);
  }

  private static String block(String page, String mark) throws IOException {
    String text = Files.readString(ROOT.resolve(page));
    Pattern block =
        Pattern.compile(
            "<!-- " + Pattern.quote(mark) + " -->\n```\\w+\n(.*?)```\n", Pattern.DOTALL);
    Matcher found = block.matcher(text);
    assertThat(found.find()).as("a block marked '%s' in %s", mark, page).isTrue();
    return found.group(1);
  }

  @Test
  void itsPomIsTheSamples() throws IOException {
    String pom = "samples/hello/pom.xml";
    assertThat(block(QUICK_START, pom)).isEqualTo(Files.readString(ROOT.resolve(pom)));
  }

  /** A build of Verbena leaves them here, so that the program needs no network. */
  @Test
  void itsPlugInsAreThoseOfTheBuild() throws IOException {
    Set<String> build = plugIns("pom.xml");
    Set<String> sample = plugIns("samples/hello/pom.xml");
    assertThat(build).containsAll(sample);
    assertThat(sample.toString())
        .contains("-clean-", "-resources-", "-surefire-", "-jar-", "-install-"); // of any build
  }

  private static Set<String> plugIns(String pom) throws IOException {
    return Pattern.compile("<artifactId>(\\S+-plugin)</artifactId>\\s*<version>(\\S+)</version>")
        .matcher(Files.readString(ROOT.resolve(pom)))
        .results()
        .map(plugIn -> plugIn.group(1) + " " + plugIn.group(2))
        .collect(Collectors.toSet());
  }

  @Test
  void itsProgramIsTheSamples() throws IOException {
    assertThat(block(README, PROGRAM)).isEqualTo(Files.readString(ROOT.resolve(PROGRAM)));
  }

  @Test
  @Tag("long")
  void itsProgramPrintsWhatItSaysAndNoWarning() throws Exception {
    // The pom of the README has no RDMA; other tests of this module do.
    String classPath = without("rpc-rdma", System.getProperty("java.class.path"));
    Run compiled =
        run(
            "javac",
            "--processor-path",
            without("jspecify", classPath), // Maven brings it; few name it by hand
            "-cp",
            classPath,
            "-d",
            directory.toString(),
            ROOT.resolve(PROGRAM).toString());
    assertThat(compiled).isEqualTo(new Run(0, "", ""));
    Run program = run("java", "-cp", directory + File.pathSeparator + classPath, "hello.Hello");
    assertThat(program).isEqualTo(new Run(0, block(README, "samples/hello output"), ""));
  }

  private static String without(String jar, String classPath) {
    return Pattern.compile(File.pathSeparator)
        .splitAsStream(classPath)
        .filter(entry -> !entry.contains(jar))
        .collect(Collectors.joining(File.pathSeparator));
  }

  private record Run(int exit, String out, String err) {}

  private Run run(String tool, String... arguments) throws IOException, InterruptedException {
    Path err = directory.resolve(tool + ".err");
    Process process =
        new ProcessBuilder(command(tool, arguments)).redirectError(err.toFile()).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Run(process.waitFor(), out, Files.readString(err));
  }

  private static List<String> command(String tool, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", tool).toString());
    String ofJvm = tool.equals("java") ? "" : "-J";
    command.add(ofJvm + "-XX:TieredStopAtLevel=1"); // quick to start
    command.add(ofJvm + "-XX:+UseSerialGC");
    command.addAll(List.of(arguments));
    return command;
  }
}
