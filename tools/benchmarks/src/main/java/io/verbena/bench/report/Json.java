package io.verbena.bench.report;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import org.HdrHistogram.Histogram;

/** Reads and writes reports as JSON, for {@code bench compare} and other programs. */
public final class Json {
  private static final Gson GSON =
      new GsonBuilder()
          .setPrettyPrinting()
          .disableHtmlEscaping()
          .registerTypeAdapter(Duration.class, new Durations())
          .registerTypeAdapter(Histogram.class, new Histograms())
          .create();

  private Json() {}

  public static void write(Report report, Path file) throws IOException {
    Files.writeString(file, GSON.toJson(report) + "\n");
  }

  /**
   * Reads a report.
   *
   * @throws IOException if the file is not a report; the message names the first wrong place
   */
  public static Report read(Path file) throws IOException {
    try {
      Report report = GSON.fromJson(Files.readString(file), Report.class);
      if (report == null || report.results() == null || report.results().contains(null)) {
        throw new IOException(file + " has no results; it is not a report of 'bench --json'");
      }
      return report;
    } catch (RuntimeException e) { // from Gson, or from a record that checks its values
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new IOException(file + " is not a report of 'bench --json': " + cause.getMessage(), e);
    }
  }

  /** Durations in seconds. */
  private static final class Durations extends TypeAdapter<Duration> {
    private static final double NANOS = 1e9;

    @Override
    public void write(JsonWriter out, Duration value) throws IOException {
      out.value(value.toNanos() / NANOS);
    }

    @Override
    public Duration read(JsonReader in) throws IOException {
      return Duration.ofNanos((long) (in.nextDouble() * NANOS));
    }
  }

  /** Histograms as in the logs of HdrHistogram: compressed, in Base64. */
  private static final class Histograms extends TypeAdapter<Histogram> {
    @Override
    public void write(JsonWriter out, Histogram value) throws IOException {
      ByteBuffer buffer = ByteBuffer.allocate(value.getNeededByteBufferCapacity());
      int length = value.encodeIntoCompressedByteBuffer(buffer, Deflater.BEST_COMPRESSION);
      out.value(Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length)));
    }

    @Override
    public Histogram read(JsonReader in) throws IOException {
      try {
        byte[] bytes = Base64.getDecoder().decode(in.nextString());
        return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(bytes), 1);
      } catch (DataFormatException | IllegalArgumentException e) {
        throw new JsonParseException("a histogram is damaged: " + e.getMessage(), e);
      }
    }
  }
}
