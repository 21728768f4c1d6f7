package io.verbena.bench.command;

import io.verbena.bench.rival.RivalServers;
import io.verbena.bench.verbena.BenchHost;
import java.io.IOException;
import java.net.InetAddress;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code bench server}, which {@code bench client} on another host calls. */
@Command(
    name = "server",
    description = "Serves 'bench client' on another host, until it is stopped.")
public final class ServerCommand implements Callable<Integer> {
  @Option(
      names = "--listen",
      defaultValue = "0.0.0.0:7410",
      paramLabel = "HOST:PORT",
      description = "default: ${DEFAULT-VALUE}")
  private String listen = "0.0.0.0:7410";

  @Option(names = "--until-input-ends", hidden = true)
  private boolean untilInputEnds;

  @Mixin private ServerOptions options = new ServerOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    String address = Addresses.withPort(listen);
    String name = address.substring(0, address.lastIndexOf(':'));
    try (RivalServers rivals = new RivalServers(name, options.rivalsPoll());
        BenchHost host =
            BenchHost.start(
                address, options.idling(), options.delay(), options.loops(), rivals::port)) {
      boolean any = name.equals("0.0.0.0");
      String reached = any ? InetAddress.getLocalHost().getHostName() : name;
      System.out.println("listening at " + reached + ":" + host.port());
      if (untilInputEnds) {
        while (System.in.read() != -1) {
          // The other process writes nothing. Only the end of the input matters.
        }
      } else {
        Thread.currentThread().join();
      }
    }
    return 0;
  }
}
