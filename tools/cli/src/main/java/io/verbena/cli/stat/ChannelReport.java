package io.verbena.cli.stat;

import io.verbena.channel.ChannelStat;
import io.verbena.channel.ChannelStat.EndpointStat;
import io.verbena.cli.Table;
import java.io.PrintWriter;

/** Prints one channel. */
final class ChannelReport {
  private static final String INDENT = "  ";

  private ChannelReport() {}

  static void print(ChannelStat channel, PrintWriter out) {
    out.println("channel to " + channel.target());
    out.printf(
        "%scalls    %d; %d moves, %d retries, %d hedges, %d refused by the budget;"
            + " %d found no server%n",
        INDENT,
        channel.calls(),
        channel.moves(),
        channel.retries(),
        channel.hedges(),
        channel.refusedByBudget(),
        channel.unserved());
    String servers = INDENT + "servers  " + channel.endpoints().size();
    out.println(channel.endpoints().isEmpty() ? servers + ": " + channel.why() : servers);
    if (!channel.endpoints().isEmpty()) {
      servers(channel).print(out, INDENT + INDENT);
    }
    out.println();
  }

  private static Table servers(ChannelStat channel) {
    Table table = new Table("server", "zone", "now", "under way", "attempts", "failed", "why");
    for (EndpointStat one : channel.endpoints()) {
      table.row(
          one.endpoint().address(),
          one.endpoint().zone().isEmpty() ? "-" : one.endpoint().zone(),
          one.standing().label(),
          one.inFlight(),
          one.attempts(),
          one.failures(),
          one.why().isEmpty() ? "-" : one.why());
    }
    return table;
  }
}
