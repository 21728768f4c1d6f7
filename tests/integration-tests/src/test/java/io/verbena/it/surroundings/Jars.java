package io.verbena.it.surroundings;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.it.surroundings.program.Small;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** The small program and what it needs, in the shapes in which users ship theirs. */
final class Jars {
  static final String MAIN = Small.class.getName();

  private static final Pattern MODULE = Pattern.compile(".*/([a-z-]+)/target/classes");
  private static final Pattern NEEDED =
      Pattern.compile(
          "(rpc-(api|codec|link|core|channel|mem|tcp-fallback|rdma)|verbs-(ext|ffm)|agrona|jctools|jspecify|slf4j-api|disni|netty)[.0-9a-zA-Z_-]*\\.jar");
  private static final String SERVICES = "META-INF/services/";

  private final Path directory;

  /** By name. */
  private final Map<String, Path> libraries = new TreeMap<>();

  private final Path program;

  Jars(Path directory) throws IOException {
    this.directory = directory;
    Path folder = Files.createDirectories(directory.resolve("lib"));
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, 0)) {
      Matcher module = MODULE.matcher(entry);
      boolean isModule = module.matches();
      String name = isModule ? module.group(1) + ".jar" : Path.of(entry).getFileName().toString();
      if (NEEDED.matcher(name).matches()) {
        Path jar = folder.resolve(name);
        if (isModule) {
          tool("jar", "--create", "--no-compress", "--file", jar.toString(), "-C", entry, ".");
        } else {
          Files.copy(Path.of(entry), jar);
        }
        libraries.put(name, jar);
      }
    }
    program = program();
  }

  /** A module that exports nothing: what there is in it is found by the class path, too. */
  private Path program() throws IOException {
    Path classes = Files.createDirectories(directory.resolve("small"));
    Path compiled = classesOfTests().resolve(Small.class.getPackageName().replace('.', '/'));
    Path there = Files.createDirectories(classes.resolve(classesOfTests().relativize(compiled)));
    try (Stream<Path> files = Files.list(compiled)) {
      for (Path file : files.toList()) {
        Files.copy(file, there.resolve(file.getFileName()));
      }
    }
    Path source = directory.resolve("module-info.java");
    Files.writeString(
        source, "module small { requires io.verbena.channel; requires io.verbena.core; }");
    tool("javac", "-d", classes.toString(), "--module-path", path(), source.toString());
    Path jar = directory.resolve("small.jar");
    tool("jar", "--create", "--file", jar.toString(), "-C", classes.toString(), ".");
    return jar;
  }

  private static Path classesOfTests() {
    try {
      return Path.of(Jars.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  static void tool(String name, String... arguments) {
    StringWriter said = new StringWriter();
    PrintWriter writer = new PrintWriter(said);
    int status = ToolProvider.findFirst(name).orElseThrow().run(writer, writer, arguments);
    assertThat(status).as("%s %s: %s", name, List.of(arguments), said).isZero();
  }

  /** Returns a class path or module path of everything, but for jars of names that begin so. */
  String path(String... without) {
    List<String> jars = new ArrayList<>();
    jars.add(directory.resolve("small.jar").toString());
    libraries.forEach(
        (name, jar) -> {
          if (Stream.of(without).noneMatch(name::startsWith)) {
            jars.add(jar.toString());
          }
        });
    return String.join(File.pathSeparator, jars);
  }

  /** Returns the class path with one class taken out of a jar. */
  String withoutClass(String library, String type) throws IOException {
    Path poorer = directory.resolve("without.jar");
    Path whole =
        libraries.entrySet().stream()
            .filter(entry -> entry.getKey().matches(library + "-[0-9].*"))
            .map(Map.Entry::getValue)
            .findFirst()
            .orElseThrow();
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(poorer))) {
      out.setLevel(0);
      copy(out, whole, "", name -> !name.equals(type + ".class"));
    }
    return path().replace(whole.toString(), poorer.toString());
  }

  /**
   * Puts everything into one jar.
   *
   * @param merged whether files of services of one name become one; else the first is kept
   */
  Path shaded(boolean merged) throws IOException {
    Path jar = directory.resolve(merged ? "merged.jar" : "shaded.jar");
    Set<String> written = new HashSet<>();
    Map<String, StringBuilder> services = new TreeMap<>();
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar))) {
      out.setLevel(0);
      put(out, "META-INF/MANIFEST.MF", ("Main-Class: " + MAIN + "\n").getBytes(UTF_8));
      for (String each : path().split(File.pathSeparator, 0)) {
        try (JarFile from = new JarFile(each)) {
          for (ZipEntry entry : from.stream().toList()) {
            String name = entry.getName();
            if (entry.isDirectory()
                || name.equals("META-INF/MANIFEST.MF")
                || name.endsWith("module-info.class")) {
              continue;
            }
            byte[] bytes;
            try (InputStream in = from.getInputStream(entry)) {
              bytes = in.readAllBytes();
            }
            if (merged && name.startsWith(SERVICES)) {
              services
                  .computeIfAbsent(name, any -> new StringBuilder())
                  .append(new String(bytes, UTF_8))
                  .append('\n');
            } else if (written.add(name)) {
              put(out, name, bytes);
            }
          }
        }
      }
      for (Map.Entry<String, StringBuilder> service : services.entrySet()) {
        put(out, service.getKey(), service.getValue().toString().getBytes(UTF_8));
      }
    }
    return jar;
  }

  /** Makes a jar as Spring Boot's Maven plugin does, with Spring Boot's own loader. */
  Path springBoot() throws IOException {
    Path jar = directory.resolve("boot.jar");
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar))) {
      out.setLevel(0);
      String launcher = "org.springframework.boot.loader.launch.JarLauncher";
      put(
          out,
          "META-INF/MANIFEST.MF",
          "Main-Class: %s\nStart-Class: %s\nSpring-Boot-Classes: BOOT-INF/classes/\nSpring-Boot-Lib: BOOT-INF/lib/\n"
              .formatted(launcher, MAIN)
              .getBytes(UTF_8));
      for (String folder : List.of("BOOT-INF/", "BOOT-INF/classes/", "BOOT-INF/lib/")) {
        put(out, folder, new byte[0]);
      }
      copy(out, loader(), "", name -> name.startsWith("org/"));
      copy(out, program, "BOOT-INF/classes/", name -> name.startsWith("io/"));
      for (Path library : libraries.values()) {
        store(out, "BOOT-INF/lib/" + library.getFileName(), Files.readAllBytes(library));
      }
    }
    return jar;
  }

  private static Path loader() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, 0))
        .map(Path::of)
        .filter(entry -> entry.getFileName().toString().startsWith("spring-boot-loader"))
        .findFirst()
        .orElseThrow();
  }

  private static void copy(ZipOutputStream out, Path jar, String prefix, Predicate<String> which)
      throws IOException {
    try (JarFile from = new JarFile(jar.toFile())) {
      for (ZipEntry entry : from.stream().toList()) {
        if (which.test(entry.getName()) && !entry.isDirectory()) {
          try (InputStream in = from.getInputStream(entry)) {
            put(out, prefix + entry.getName(), in.readAllBytes());
          }
        }
      }
    }
  }

  private static void put(ZipOutputStream out, String name, byte[] bytes) throws IOException {
    out.putNextEntry(new ZipEntry(name));
    out.write(bytes);
    out.closeEntry();
  }

  private static void store(ZipOutputStream out, String name, byte[] bytes) throws IOException {
    ZipEntry entry = new ZipEntry(name);
    CRC32 crc = new CRC32();
    crc.update(bytes);
    entry.setMethod(ZipEntry.STORED);
    entry.setSize(bytes.length);
    entry.setCrc(crc.getValue());
    out.putNextEntry(entry);
    out.write(bytes);
    out.closeEntry();
  }

  /**
   * Links everything but RDMA into an image, and returns its {@code java}. Agrona's jar has no
   * descriptor, so that it gets one first; DiSNI's has none either.
   */
  Path linked() throws IOException {
    Path described = Files.createDirectories(directory.resolve("described"));
    String agrona =
        libraries.keySet().stream()
            .filter(name -> name.startsWith("agrona"))
            .findFirst()
            .orElseThrow();
    String jar = Objects.requireNonNull(libraries.get(agrona)).toString();
    tool("jdeps", "--ignore-missing-deps", "--generate-module-info", described.toString(), jar);
    Path copy = described.resolve(agrona);
    Files.copy(Path.of(jar), copy, StandardCopyOption.REPLACE_EXISTING);
    tool(
        "javac",
        "-d",
        described.toString(),
        "--patch-module",
        "org.agrona=" + jar,
        described.resolve("org.agrona/module-info.java").toString());
    tool(
        "jar",
        "--update",
        "--file",
        copy.toString(),
        "-C",
        described.toString(),
        "module-info.class");
    Path image = directory.resolve("image");
    tool(
        "jlink",
        "--module-path",
        path("agrona", "rpc-rdma", "verbs", "disni") + File.pathSeparator + copy,
        "--add-modules",
        "small,io.verbena.tcp",
        "--output",
        image.toString());
    return image.resolve("bin/java");
  }
}
