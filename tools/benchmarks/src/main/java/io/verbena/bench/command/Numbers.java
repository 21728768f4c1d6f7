package io.verbena.bench.command;

import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses numbers, and refuses those that no run can use. The message gives the valid range. */
final class Numbers {
  private static final double NANOS_PER_SECOND = 1e9;

  /** A longer time is a typing error. */
  private static final double DAY_SECONDS = 24 * 60 * 60;

  private static final long MINUTE_MICROS = 60_000_000;
  private static final double MOST_PER_SECOND = 1e9;

  private Numbers() {}

  /** A number of rounds, connections or concurrent calls. */
  static final class Count implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
      return (int) whole(text, 1, Integer.MAX_VALUE, "a whole number from 1 on");
    }
  }

  /** A number of calls in a turn. */
  static final class Calls implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
      return whole(text, 1, Long.MAX_VALUE, "a whole number from 1 on");
    }
  }

  /** A delay. */
  static final class Micros implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
      return whole(text, 0, MINUTE_MICROS, "a number of microseconds, at most a minute");
    }
  }

  /** A rate of calls. */
  static final class PerSecond implements ITypeConverter<Double> {
    @Override
    public Double convert(String text) {
      double rate = number(text);
      if (rate > 0 && rate <= MOST_PER_SECOND) {
        return rate;
      }
      throw refused(text, "a rate: calls each second, more than 0");
    }
  }

  /** The duration of a turn. */
  static final class Turn implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
      return duration(text, 1 / NANOS_PER_SECOND, "more than 0, at most a day");
    }
  }

  /** The duration of a warm-up; zero for none. */
  static final class Warmup implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
      return duration(text, 0, "0 for none, at most a day");
    }
  }

  private static Duration duration(String text, double least, String limits) {
    double seconds = number(text);
    if (seconds >= least && seconds <= DAY_SECONDS) {
      return Duration.ofNanos((long) (seconds * NANOS_PER_SECOND));
    }
    throw refused(text, "a time in seconds, such as 0.5 or 10: " + limits);
  }

  /** Returns the number. Returns NaN, which is in no range, for other text. */
  private static double number(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      return Double.NaN;
    }
  }

  private static long whole(String text, long least, long most, String wanted) {
    try {
      long number = Long.parseLong(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw refused(text, wanted);
    }
    throw refused(text, wanted);
  }

  private static TypeConversionException refused(String text, String wanted) {
    return new TypeConversionException("'" + text + "' is not " + wanted);
  }
}
