package io.verbena.bench.command;

import io.verbena.bench.verbena.Idling;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** How a process's own event loops idle. */
final class SpinOption {
  private static final long NANOS_PER_MICRO = 1_000;
  private static final String ALWAYS = "always";

  @Option(
      names = "--spin",
      converter = Words.class,
      paramLabel = "MICROS",
      description =
          "the time for which an idle event loop polls before it waits. 'always' polls without"
              + " waiting, even during the turns of rivals. Default: the default of Verbena, about a"
              + " round trip on RDMA and 0 on TCP")
  private Idling idling = Idling.AS_IT_COMES;

  static SpinOption of(Idling idling) {
    SpinOption option = new SpinOption();
    option.idling = idling;
    return option;
  }

  Idling idling() {
    return idling;
  }

  /** Returns this option as a word of the command line. */
  String words() {
    return "--spin=" + (idling.always() ? ALWAYS : idling.spin().toNanos() / NANOS_PER_MICRO);
  }

  /** Parses microseconds, or {@code always}. */
  static final class Words implements ITypeConverter<Idling> {
    @Override
    public Idling convert(String text) {
      if (text.equals(ALWAYS)) {
        return Idling.ALWAYS_POLLING;
      }
      try {
        long micros = new Numbers.Micros().convert(text);
        return new Idling(Duration.ofNanos(micros * NANOS_PER_MICRO), false);
      } catch (TypeConversionException e) {
        throw new TypeConversionException(e.getMessage() + ", nor '" + ALWAYS + "'");
      }
    }
  }
}
