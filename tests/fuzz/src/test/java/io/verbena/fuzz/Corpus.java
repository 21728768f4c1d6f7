package io.verbena.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * The stored inputs of a target: a line of hexadecimal digits each, in {@code corpus/TARGET.txt}. A
 * line with {@code #} says what the next one is.
 */
final class Corpus {
  private static final Path HOME = Path.of("src/test/resources/corpus");
  private static final HexFormat HEX = HexFormat.of();

  private Corpus() {}

  static List<byte[]> of(Targets target) throws IOException {
    Path file = file(target);
    if (!Files.exists(file)) {
      return List.of();
    }
    try (Stream<String> lines = Files.lines(file)) {
      return lines.filter(line -> !line.startsWith("#")).map(HEX::parseHex).toList();
    }
  }

  /** Returns where a target's inputs are stored. */
  static Path file(Targets target) {
    return HOME.resolve(target.title() + ".txt");
  }

  /** Returns an input as it is stored. */
  static String line(byte[] input) {
    return HEX.formatHex(input);
  }

  /** Writes inputs as the fuzzer wants them: a file each. */
  static void writeFiles(Path directory, List<byte[]> inputs) throws IOException {
    Files.createDirectories(directory);
    for (int i = 0; i < inputs.size(); i++) {
      Files.write(directory.resolve("input-" + i), inputs.get(i));
    }
  }

  /** Reads the files that the fuzzer has written, shortest first. */
  static List<byte[]> readFiles(Path directory) throws IOException {
    List<byte[]> inputs = new ArrayList<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        inputs.add(Files.readAllBytes(file));
      }
    }
    inputs.sort((a, b) -> a.length == b.length ? Arrays.compare(a, b) : a.length - b.length);
    return inputs;
  }
}
