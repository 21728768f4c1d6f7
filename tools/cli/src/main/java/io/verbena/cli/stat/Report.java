package io.verbena.cli.stat;

import io.verbena.cli.Table;
import io.verbena.core.bulk.stat.BulkStats;
import io.verbena.core.bulk.stat.PublishedStat;
import io.verbena.core.bulk.stat.TransferStat;
import io.verbena.core.stat.CompressionStat;
import io.verbena.core.stat.EngineStat;
import io.verbena.core.stat.LimitStat;
import io.verbena.core.stat.OnewayStat;
import io.verbena.core.stat.SessionStat;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Prints one client or server. */
final class Report {
  private static final String INDENT = "  ";

  private Report() {}

  static void print(EngineStat engine, PrintWriter out) {
    out.println(engine.name());
    out.printf("%sslots in use  %d of %,d%n", INDENT, engine.slotsInUse(), engine.maxSlots());
    print(engine.bulk(), out);
    print(engine.oneways(), out);
    print(engine.limit(), out);
    print(engine.compression(), engine.sessions(), out);
    print("published", published(engine.published()), out);
    if (!engine.upgrade().isEmpty()) {
      out.println(INDENT + "better links than TCP");
      Table figures = new Table("figure", "now");
      engine.upgrade().forEach((name, value) -> figures.row(name, inWords(name, value)));
      figures.print(out, INDENT + INDENT);
    }
    if (!engine.log().isEmpty()) {
      Table told = new Table("warnings of this process, logged or suppressed", "times");
      engine.log().forEach(told::row);
      print("log", told, out);
    }
    out.println(INDENT + "sessions  " + engine.sessions().size());
    if (!engine.sessions().isEmpty()) {
      sessions(engine).print(out, INDENT + INDENT);
    }
    print("measured costs of paths", costs(engine.sessions()), out);
    print("under way", transfers(engine.sessions()), out);
    out.println();
  }

  private static void print(String title, Table table, PrintWriter out) {
    if (!table.isEmpty()) {
      out.println(INDENT + title);
      table.print(out, INDENT + INDENT);
    }
  }

  private static Table published(List<PublishedStat> objects) {
    Table table = new Table("object", "where", "bytes", "readers", "by", "for", "lease left");
    for (PublishedStat one : objects) {
      table.row(
          one.id(),
          one.source(),
          bytes(one.bytes()),
          one.transfers(),
          one.peers().isEmpty() ? "-" : String.join(", ", one.peers()),
          one.seconds() + " s",
          one.leaseSeconds() + " s");
    }
    return table;
  }

  private static Table transfers(List<SessionStat> sessions) {
    Table table = new Table("peer", "", "what", "confirmed", "of", "for");
    for (SessionStat session : sessions) {
      for (TransferStat one : session.transfers()) {
        table.row(
            session.peer(),
            one.incoming() ? "in" : "out",
            one.object(),
            bytes(one.confirmedBytes()),
            one.totalBytes() < 0 ? "?" : bytes(one.totalBytes()),
            one.seconds() + " s");
      }
    }
    return table;
  }

  private static void print(BulkStats bulk, PrintWriter out) {
    out.printf(
        "%stransfers     %d out, %d in; %d done, %d failed, %d resumed; %s sent, %s received%n",
        INDENT,
        bulk.sending(),
        bulk.receiving(),
        bulk.completed(),
        bulk.failed(),
        bulk.resumed(),
        bytes(bulk.bytesSent()),
        bytes(bulk.bytesReceived()));
    out.printf(
        "%sbulk memory   %s of %s, %s more kept; %s quarantined;" + " %d published objects of %s%n",
        INDENT,
        bytes(bulk.memoryInUse()),
        bytes(bulk.memoryLimit()),
        bytes(bulk.memoryKept()),
        bytes(bulk.quarantined()),
        bulk.published(),
        bytes(bulk.publishedBytes()));
  }

  private static void print(OnewayStat oneways, PrintWriter out) {
    if (!oneways.isEmpty()) {
      out.printf(
          "%sone-way calls %d not sent, %d unknown, %d dropped by peers, %d dropped, %d failed%n",
          INDENT,
          oneways.unsent(),
          oneways.unknown(),
          oneways.refusedByPeer(),
          oneways.refused(),
          oneways.failed());
    }
  }

  private static void print(@Nullable LimitStat limit, PrintWriter out) {
    if (limit == null) {
      return;
    }
    out.printf(
        "%slimit         %d of %d calls at once; latency %s, %s under low load%n",
        INDENT,
        limit.inFlight(),
        limit.limit(),
        millis(limit.latencyMicros()),
        millis(limit.unloadedMicros()));
    Table table = new Table("priority", "taken below", "taken", "shed");
    for (LimitStat.OfPriority one : limit.priorities()) {
      table.row(one.priority(), one.places(), one.taken(), one.shed());
    }
    table.print(out, INDENT + INDENT);
  }

  private static void print(
      @Nullable CompressionStat compression, List<SessionStat> sessions, PrintWriter out) {
    if (compression != null) {
      out.printf(
          "%scompressed    %,d messages of %s to %s; the peers of %,d of %,d sessions accept them%n",
          INDENT,
          compression.messages(),
          bytes(compression.plainBytes()),
          bytes(compression.bytes()),
          sessions.stream().filter(one -> one.costs().containsKey("compressed from bytes")).count(),
          sessions.size());
    }
  }

  private static String millis(long micros) {
    return micros == 0 ? "?" : String.format(Locale.ROOT, "%.1f ms", micros / 1e3);
  }

  private static Table sessions(EngineStat engine) {
    Table table =
        new Table(
            "peer", "who", "state", "path", "links", "out", "in", "unacked", "changes", "credits");
    for (SessionStat one : engine.sessions()) {
      table.row(
          one.peer().isEmpty() ? "-" : one.peer(),
          one.identity().isEmpty() ? "-" : one.identity(),
          one.state().name().toLowerCase(Locale.ROOT),
          one.path(),
          one.links(),
          one.callsOut(),
          one.callsIn(),
          bytes(one.owedBytes()),
          one.pathChanges(),
          figures(one.link()));
    }
    return table;
  }

  private static Table costs(List<SessionStat> sessions) {
    Table table =
        new Table(
            "peer",
            "path",
            "round trip",
            "copy of 1 MiB",
            "pin",
            "pin a page",
            "beside",
            "in place");
    for (SessionStat one : sessions) {
      Map<String, Long> costs = one.costs();
      if (costs.containsKey("round trip ns")) {
        table.row(
            one.peer().isEmpty() ? "-" : one.peer(),
            one.path(),
            micros(costs.get("round trip ns")),
            micros(costs.get("copy ns per MiB")),
            micros(costs.get("pin ns")),
            micros(costs.get("pin ns per page")),
            from(costs.get("beside from bytes")),
            from(costs.get("in place from bytes")));
      }
    }
    return table;
  }

  private static String micros(@Nullable Long nanos) {
    return nanos == null ? "-" : String.format(Locale.ROOT, "%.1f us", nanos / 1e3);
  }

  private static String from(@Nullable Long bytes) {
    return bytes == null || bytes == Long.MAX_VALUE ? "never" : "from " + bytes(bytes);
  }

  private static String figures(Map<String, Long> figures) {
    StringJoiner all = new StringJoiner(", ");
    new TreeMap<>(figures).forEach((name, value) -> all.add(name + " " + value));
    return figures.isEmpty() ? "-" : all.toString();
  }

  private static String inWords(String name, long value) {
    return name.contains("bytes") ? bytes(value) : Long.toString(value);
  }

  private static String bytes(long count) {
    if (count < 1024) {
      return count + " B";
    }
    int exponent = (63 - Long.numberOfLeadingZeros(count)) / 10;
    return String.format(
        Locale.ROOT, "%.1f %ciB", count / Math.pow(1024, exponent), " KMGTPE".charAt(exponent));
  }
}
