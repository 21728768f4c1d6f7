package io.verbena.cli.call;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * A line of the standard input.
 *
 * @param number the number of the line, from 1
 */
record Line(int number, String text) {
  /** Returns the lines that are not blank, each as soon as it has arrived. */
  static Stream<Line> of(InputStream in) {
    AtomicInteger number = new AtomicInteger();
    return new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))
        .lines()
        .map(text -> new Line(number.incrementAndGet(), text))
        .filter(line -> !line.text().isBlank());
  }

  /** Returns the whole input. */
  static String all(InputStream in) {
    try {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("the standard input cannot be read: " + e.getMessage(), e);
    }
  }
}
