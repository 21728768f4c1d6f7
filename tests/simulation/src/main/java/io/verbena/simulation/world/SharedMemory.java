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
 * The shared directory of a run's processes, which are all on one host. It has real files and
 * sockets, which are checked in the run's time.
 *
 * <p>The kernel handles them at once, within the call. So a run is the same each time, as long as
 * it takes less than 10 s, after which directories of dead processes are removed.
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

  /** Returns the part of a process. */
  ShmProcess of(SimHost host) {
    ShmProcess process = new ShmProcess(host, base, agenda, random);
    processes.add(process);
    return process;
  }

  /** Checks the sockets of waiting loops for events. */
  void look() {
    for (int i = 0; i < processes.size(); i++) {
      processes.get(i).look();
    }
  }

  /** Removes all files. */
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
