package io.verbena.simulation.world;

import io.verbena.simulation.time.Agenda;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What the processes of a run share, as if all were on one host: a directory of real files and
 * sockets, which are looked at in the run's time.
 *
 * <p>What the kernel does with them it does at once, within the call; so a run is the same each
 * time, as long as it takes less than the 10 s after which directories of the dead are removed.
 */
final class SharedMemory {
  private static final Path MEMORY = Path.of("/dev/shm");

  private final Agenda agenda;
  private final SplittableRandom random;
  private final Path base;
  private final List<ShmProcess> processes = new ArrayList<>();

  SharedMemory(Agenda agenda, SplittableRandom random) {
    this.agenda = agenda;
    this.random = random;
    try {
      this.base =
          Files.isWritable(MEMORY)
              ? Files.createTempDirectory(MEMORY, "simulation-")
              : Files.createTempDirectory("simulation-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns what a process has of it. */
  ShmProcess of(SimHost host) {
    ShmProcess process = new ShmProcess(host, base, agenda, random);
    processes.add(process);
    return process;
  }

  /** Looks whether there is something at the sockets of those that wait there. */
  void look() {
    for (int i = 0; i < processes.size(); i++) {
      processes.get(i).look();
    }
  }

  /** Nothing of it is left. */
  void close() {
    processes.forEach(ShmProcess::free);
    try (var files = Files.walk(base)) {
      for (Path file : files.toList().reversed()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
