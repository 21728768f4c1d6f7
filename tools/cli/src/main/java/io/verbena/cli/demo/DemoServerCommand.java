package io.verbena.cli.demo;

import io.verbena.core.VerbenaServer;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/**
 * The second process of the demonstration. It prints its address and serves until its standard
 * input ends. The input ends when the parent process ends, even if that one crashed.
 */
@Command(name = "demo-server", hidden = true, description = "The server of the demonstration.")
public final class DemoServerCommand implements Callable<Integer> {
  @Override
  public Integer call() throws IOException {
    try (VerbenaServer server =
        VerbenaServer.builder()
            .listen("127.0.0.1:0")
            .limits(DemoCommand.PATIENT)
            .serve(GardenRpc.bind(new DemoGarden()))
            .start()) {
      System.out.println(server.address());
      while (System.in.read() != -1) {
        // The parent process writes nothing. Only the end of the input matters.
      }
    }
    return 0;
  }
}
