package io.verbena.bench.command;

import io.verbena.bench.house.House;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code verbena house}: what is counted of the sources, and of the way of a small call. */
@Command(
    name = "house",
    description = {
      "Counts the lines of main sources; how many frames, types and methods a small call meets; and"
          + " the arrows between classes of one package that run back up. Each beside its goal.",
      "Frames are those from the link that has a request to the handler's method, both counted. A"
          + " method only forwards if it reads a field, or calls one other with what it has."
          + " Arrows run back in the order of the package's classes in which fewest do."
    })
public final class HouseCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--root",
      paramLabel = "DIR",
      defaultValue = ".",
      description = "the project's folder; default: ${DEFAULT-VALUE}")
  private Path root = Path.of(".");

  @Option(names = "--details", description = "name the frames, types, methods and arrows as well")
  private boolean details;

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    out.print(House.count(root, details));
    out.flush();
    return 0;
  }
}
