package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.verbena.testkit.Root;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who follows the tutorial step by step, from an empty directory, gets what it says. */
@Tag("long")
class TutorialTest {
  private static final Path FIRST = Root.resolve("docs/tutorial.md");
  private static final Path SECOND = Root.resolve("docs/tutorial-2.md");

  /** A block of the page; a mark before it says in which file it goes, and where in it. */
  private static final Pattern BLOCK =
      Pattern.compile(
          "(?:<!-- (\\w+\\.java)(, at its end)?(?:, behind ([^>]+))? -->\n)?```(\\w+)\n(.*?)```\n",
          Pattern.DOTALL);

  private static final Pattern PROGRAM =
      Pattern.compile("mvn -q compile exec:java -Dexec.mainClass=(\\S+) -Dexec.args=(\\S+)");
  private static final Pattern SCRAPE = Pattern.compile("curl -s (\\S+) \\| grep (\\S+)");

  @TempDir private Path directory;
  private final List<Thread> servers = new ArrayList<>();
  private final int freePort = freePort();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final PrintStream before = System.out;
  private String printed = "";

  @BeforeEach
  void listen() {
    System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void end() throws InterruptedException {
    System.setOut(before);
    endServers();
  }

  private void endServers() throws InterruptedException {
    for (Thread server : servers) {
      server.interrupt();
      server.join();
    }
    servers.clear();
  }

  @Test
  void itsStepsPrintWhatItSays() throws Exception {
    String page = Files.readString(FIRST) + Files.readString(SECOND);
    List<MatchResult> blocks = BLOCK.matcher(page).results().toList();
    int compared = 0;
    for (MatchResult block : blocks) {
      switch (block.group(4)) {
        case "java" -> write(block);
        case "sh" -> follow(block.group(5));
        case "text" -> {
          assertThat(printed).isEqualTo(block.group(5));
          compared++;
        }
        default -> assertThat(block.group(4)).isEqualTo("xml");
      }
    }
    assertThat(compared).isEqualTo(6);
    assertThat(printed.lines())
        .as("the server's metrics")
        .hasSize(3)
        .anyMatch(line -> line.contains("UNAUTHENTICATED"));
  }

  private void write(MatchResult block) throws IOException {
    Path file = directory.resolve(block.group(1));
    String code = block.group(5);
    if (block.group(2) != null) {
      String before = Files.readString(file);
      code = before.substring(0, before.lastIndexOf('}')) + "\n" + code + "}\n";
    } else if (block.group(3) != null) {
      String before = Files.readString(file);
      assertThat(before).contains(block.group(3));
      int at = before.indexOf('\n', before.indexOf(block.group(3))) + 1;
      code = before.substring(0, at) + code + before.substring(at);
    }
    Files.writeString(file, code);
  }

  /** Does what the commands say: those that serve do so until the next step. */
  private void follow(String commands) throws Exception {
    endServers();
    ClassLoader program = compile();
    for (String command : commands.lines().toList()) {
      String here = onFreePorts(command);
      Matcher runs = PROGRAM.matcher(here);
      Matcher scrapes = SCRAPE.matcher(here);
      if (scrapes.matches()) {
        printed = grep(scrapes.group(2), URI.create("http://" + scrapes.group(1)).toURL());
      } else {
        assertThat(runs.matches()).as(command).isTrue();
        if (runs.group(1).endsWith("Server")) {
          serve(program, runs.group(1), runs.group(2));
        } else {
          run(program, runs.group(1), runs.group(2));
          printed = out.toString(StandardCharsets.UTF_8);
          out.reset();
        }
      }
    }
  }

  private ClassLoader compile() throws IOException {
    Path classes = Files.createTempDirectory(directory, "classes");
    String classPath = System.getProperty("java.class.path");
    List<String> arguments =
        new ArrayList<>(
            List.of("-cp", classPath, "--processor-path", classPath, "-d", classes.toString()));
    try (Stream<Path> files = Files.list(directory)) {
      files.map(Path::toString).filter(name -> name.endsWith(".java")).forEach(arguments::add);
    }
    var errors = new ByteArrayOutputStream();
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(null, errors, errors, arguments.toArray(String[]::new));
    assertThat(errors.toString(StandardCharsets.UTF_8)).isEmpty();
    assertThat(status).isZero();
    return new URLClassLoader(new URL[] {classes.toUri().toURL()}, getClass().getClassLoader());
  }

  private void serve(ClassLoader program, String main, String port) throws Exception {
    Thread server = Thread.ofPlatform().start(() -> run(program, main, port));
    servers.add(server);
    await().until(() -> !server.isAlive() || out.size() > 0);
    assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("at tcp://");
    out.reset();
  }

  private static void run(ClassLoader program, String main, String argument) {
    try {
      program
          .loadClass(main)
          .getMethod("main", String[].class)
          .invoke(null, (Object) new String[] {argument});
    } catch (InvocationTargetException e) {
      if (!(e.getCause() instanceof InterruptedException)) { // how a server is ended here
        throw new IllegalStateException(main, e.getCause());
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(main, e);
    }
  }

  private static String grep(String word, URL address) throws IOException {
    try (InputStream in = address.openStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> line.contains(word))
          .collect(Collectors.joining("\n"));
    }
  }

  // ---- ports: 7400, 7401 and 8400 may be somebody's ----

  private String onFreePorts(String command) {
    return command
        .replace("8400", String.valueOf(freePort + 1000))
        .replace("7401", String.valueOf(freePort + 1))
        .replace("7400", String.valueOf(freePort));
  }

  private static int freePort() {
    int port = 20_000 + (int) (ProcessHandle.current().pid() % 10_000);
    while (isTaken(port) || isTaken(port + 1) || isTaken(port + 1000)) {
      port++;
    }
    return port;
  }

  private static boolean isTaken(int port) {
    try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return true;
    } catch (IOException nobodyListens) {
      return false;
    }
  }
}
