package io.verbena.codegen;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The outcome of compiling sources with the processor.
 *
 * @param errors what javac reported as errors or warnings
 * @param generated the generated sources, by file name
 * @param origins what the processor wrote by its filer, and which sources it said each is made of
 */
record Compiled(
    List<Diagnostic<? extends JavaFileObject>> errors,
    Map<String, String> generated,
    Map<String, List<String>> origins) {
  private static final JavaCompiler JAVAC = ToolProvider.getSystemJavaCompiler();

  /** Of all compilations: the class path is opened once. */
  private static final StandardJavaFileManager FILES =
      JAVAC.getStandardFileManager(null, Locale.ROOT, null);

  /** Compiles sources given as text, by file name. */
  static Compiled of(Map<String, String> sources) {
    return of(sources, List.of());
  }

  /** Compiles them with more options. */
  static Compiled of(Map<String, String> sources, List<String> more) {
    return of(files(sources), more, Map.of());
  }

  /**
   * Compiles them with class files of a library's sources, of which the processor learns neither
   * names of parameters nor the order of members.
   */
  static Compiled of(Map<String, String> sources, List<String> more, Map<String, String> library) {
    return of(files(sources), more, library);
  }

  static List<JavaFileObject> files(Map<String, String> sources) {
    return sources.entrySet().stream().map(e -> source(e.getKey(), e.getValue())).toList();
  }

  /** Compiles sources in this order. Every warning is an error. */
  static Compiled of(List<JavaFileObject> sources) {
    return of(sources, List.of(), Map.of());
  }

  private static Compiled of(
      List<JavaFileObject> sources, List<String> more, Map<String, String> library) {
    DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
    Origins origins = new Origins();
    try {
      Path out = Files.createTempDirectory("verbena-codegen");
      List<String> options = new ArrayList<>(more);
      String path = out + File.pathSeparator + System.getProperty("java.class.path");
      options.addAll(List.of("-d", out.toString(), "-cp", path));
      if (!library.isEmpty()) {
        List<String> plain = List.copyOf(options);
        JAVAC.getTask(null, FILES, diagnostics, plain, null, files(library)).call();
      }
      options.addAll(List.of("-Xlint:all", "-Werror"));
      JavaCompiler.CompilationTask task =
          JAVAC.getTask(null, origins, diagnostics, options, null, sources);
      task.setProcessors(List.of(library.isEmpty() ? new VerbenaProcessor() : new Unreadable()));
      task.call();
      Map<String, String> generated = generated(out);
      return new Compiled(
          diagnostics.getDiagnostics().stream()
              .filter(d -> d.getKind() != Diagnostic.Kind.NOTE)
              // Of a name that is taken javac warns, and the processor says what to do.
              .filter(d -> !d.getCode().equals("compiler.warn.proc.type.recreate"))
              // It only says that a warning is an error.
              .filter(d -> !d.getCode().equals("compiler.err.warnings.and.werror"))
              .toList(),
          generated,
          origins.said);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Notes what is written of which sources; javac's own classes are left out. */
  private static final class Origins extends ForwardingJavaFileManager<JavaFileManager> {
    final Map<String, List<String>> said = new TreeMap<>();

    Origins() {
      super(FILES);
    }

    @Override
    public JavaFileObject getJavaFileForOutputForOriginatingFiles(
        Location location, String type, JavaFileObject.Kind kind, FileObject... of)
        throws IOException {
      if (kind == JavaFileObject.Kind.SOURCE) {
        said.put(type + kind.extension, names(of));
      }
      return super.getJavaFileForOutputForOriginatingFiles(location, type, kind, of);
    }

    @Override
    public FileObject getFileForOutputForOriginatingFiles(
        Location location, String directory, String name, FileObject... of) throws IOException {
      said.put(directory + "/" + name, names(of));
      return super.getFileForOutputForOriginatingFiles(location, directory, name, of);
    }

    private static List<String> names(FileObject... files) {
      return Arrays.stream(files).map(FileObject::getName).toList();
    }
  }

  static JavaFileObject source(String name, String text) {
    return new SimpleJavaFileObject(URI.create("string:///" + name), JavaFileObject.Kind.SOURCE) {
      @Override
      public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return text;
      }
    };
  }

  /** Reads what was generated, and removes everything. */
  static Map<String, String> generated(Path out) throws IOException {
    Map<String, String> sources = new TreeMap<>();
    List<Path> all;
    try (Stream<Path> tree = Files.walk(out)) {
      all = tree.sorted((a, b) -> b.compareTo(a)).toList();
    }
    for (Path path : all) {
      if (path.toString().endsWith(".java")) {
        sources.put(out.relativize(path).toString(), Files.readString(path));
      }
      Files.delete(path);
    }
    return sources;
  }
}
