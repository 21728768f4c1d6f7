package io.verbena.cli.demo;

import io.verbena.core.VerbenaServer;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/**
 * The demonstration's second process. Prints where it listens, and serves until its input ends:
 * that is when the process that started it is gone, however it went.
 */
@Command(name = "demo-server", hidden = true, description = "The server of the demonstration.")
public final class DemoServerCommand implements Callable<Integer> {
  @Override
  public Integer call() throws IOException {
    try (VerbenaServer server =
        VerbenaServer.builder()
            .listen("127.0.0.1:0")
            .serve(GardenRpc.bind(new DemoGarden()))
            .start()) {
      System.out.println(server.address());
      while (System.in.read() != -1) {
        // Nothing is ever written here; only the end says something.
      }
    }
    return 0;
  }
}
