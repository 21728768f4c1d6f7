package io.verbena.bench.run;

import io.verbena.bench.Main;
import io.verbena.cli.JvmProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A server in a second JVM on this host, from its start to its end. */
public final class ServerProcess implements AutoCloseable {
  /** In the laboratory each JVM runs on one processor. This JVM has 0, so the server gets 1. */
  public static final Map<String, String> OTHER_CPU = Map.of("LAB_CPU", "1");

  /** Aeron does not run without these flags. */
  private static final List<String> FOR_AERON =
      List.of("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");

  private static final String LISTENS = "listening at ";

  private final JvmProcess process;
  private final String address;

  private ServerProcess(JvmProcess process, String address) {
    this.process = process;
    this.address = address;
  }

  /** Starts {@code bench server} with options. Returns when it listens. */
  public static ServerProcess start(List<String> options) throws IOException {
    List<String> command =
        new ArrayList<>(JvmProcess.command(FOR_AERON, Main.class, "server", "--until-input-ends"));
    command.addAll(options);
    JvmProcess process = JvmProcess.start(command, OTHER_CPU);
    String line = "";
    try {
      line = process.line();
    } finally {
      if (!line.startsWith(LISTENS)) {
        process.close();
      }
    }
    if (!line.startsWith(LISTENS)) {
      throw new IOException("the server's process does not listen; its output: " + line);
    }
    return new ServerProcess(process, line.substring(LISTENS.length()).strip());
  }

  /** Returns the server's address as {@code host:port}. */
  public String address() {
    return address;
  }

  /** Ends the server and waits for its end. */
  @Override
  public void close() throws IOException {
    process.close();
  }
}
