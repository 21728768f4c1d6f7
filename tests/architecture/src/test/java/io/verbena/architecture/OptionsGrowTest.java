package io.verbena.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testkit.Root;
import japicmp.cmp.JApiCmpArchive;
import japicmp.cmp.JarArchiveComparator;
import japicmp.cmp.JarArchiveComparatorOptions;
import japicmp.model.JApiClass;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Another member of an options class breaks no program of a user: each class is compiled as it is
 * and with one member more, and japicmp compares both.
 */
class OptionsGrowTest {
  private static final String VALUES = "private record Values(";

  @TempDir private Path directory;

  /** Returns the sources of the classes that hold options. */
  static List<Path> options() {
    return Sources.of("main").stream().filter(file -> Sources.text(file).contains(VALUES)).toList();
  }

  static Stream<String> names() {
    return options().stream().map(file -> Root.find().relativize(file).toString());
  }

  /** Without HttpSettings, whose private values are a class, which grows in another way. */
  @Test
  void theyAreFound() {
    assertThat(options().stream().map(file -> file.getFileName().toString()))
        .contains(
            "Backoff.java",
            "CallOptions.java",
            "ConcurrencyLimit.java",
            "Ejection.java",
            "LinkOptions.java",
            "RdmaSettings.java",
            "Retries.java",
            "SessionLimits.java",
            "ShmSettings.java",
            "TlsOptions.java",
            "TransferOptions.java");
  }

  @ParameterizedTest
  @MethodSource("names")
  void oneMemberMoreIsCompatible(String file) throws IOException {
    String now = Sources.text(Root.resolve(file));
    String name = Path.of(file).getFileName().toString().replace(".java", "");
    String more =
        now.replace(VALUES, VALUES + "int added, ")
            .replace("new Values(", "new Values(0, ")
            .replaceFirst(
                "(?s)}\\s*$",
                """
                      /** Returns what is new. */
                      public int added() {
                        return values.added;
                      }

                      /** Returns these options with another value of it. */
                      public NAME withAdded(int value) {
                        return this;
                      }
                    }
                    """
                    .replace("NAME", name));
    assertThat(more).contains("Values(0, ").contains("values.added");
    assertThat(broken(name, now, more)).isEmpty();
  }

  /** The same of a record: the comparison does see what breaks. */
  @Test
  void oneMoreComponentOfARecordIsNot() throws IOException {
    String now = "package x; public record Old(int a) {}";
    assertThat(broken("Old", now, now.replace("int a", "int a, int b"))).containsExactly("x.Old");
  }

  private List<String> broken(String name, String before, String after) throws IOException {
    JarArchiveComparatorOptions options = new JarArchiveComparatorOptions();
    options.getIgnoreMissingClasses().setIgnoreAllMissingClasses(true);
    List<JApiClass> classes =
        new JarArchiveComparator(options)
            .compare(
                new JApiCmpArchive(jar("before", name, before).toFile(), "1"),
                new JApiCmpArchive(jar("after", name, after).toFile(), "2"));
    assertThat(classes).isNotEmpty();
    return classes.stream()
        .filter(one -> !one.isBinaryCompatible() || !one.isSourceCompatible())
        .map(JApiClass::getFullyQualifiedName)
        .toList();
  }

  private Path jar(String version, String name, String source) throws IOException {
    Path classes = Files.createDirectories(directory.resolve(version));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter words = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      JavaFileObject file =
          new SimpleJavaFileObject(
              URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
              return source;
            }
          };
      List<String> arguments =
          List.of(
              "-proc:none",
              "-d",
              classes.toString(),
              "-cp",
              System.getProperty("java.class.path", ""));
      assertThat(compiler.getTask(words, files, null, arguments, null, List.of(file)).call())
          .as(words.toString())
          .isTrue();
    }
    Path jar = directory.resolve(version + ".jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
        Stream<Path> all = Files.walk(classes)) {
      for (Path one : all.filter(Files::isRegularFile).toList()) {
        out.putNextEntry(new JarEntry(classes.relativize(one).toString()));
        Files.copy(one, out);
      }
    }
    return jar;
  }
}
