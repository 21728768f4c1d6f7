package io.verbena.simulation.world;

import io.verbena.link.LinkException;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.UpgradeProvider;
import io.verbena.shm.ShmSettings;
import io.verbena.shm.ShmUpgradeProvider;
import io.verbena.shm.Waiter;
import io.verbena.simulation.time.Agenda;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The product's links through shared memory of one process, with faults. */
public final class ShmProcess implements UpgradeProvider {
  /** The rings are small, so that they are full and wrap often. */
  private static final ShmSettings SETTINGS = ShmSettings.DEFAULT.withRingBytes(256 << 10);

  private static final URI HERE = URI.create("tcp://127.0.0.1");
  private static final int WAKE_UP_NANOS = 50_000;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final SimHost host;
  private final Agenda agenda;
  private final SplittableRandom random;
  private final ShmUpgradeProvider links;
  private final List<SimWaiter> waiters = new ArrayList<>();
  private final List<UpgradeDriver> drivers = new ArrayList<>();
  private long late;
  private boolean deaf;
  private boolean refuses;
  private boolean killed;

  ShmProcess(SimHost host, Path base, Agenda agenda, SplittableRandom random) {
    this.host = host;
    this.agenda = agenda;
    this.random = random;
    this.links = new ShmUpgradeProvider(base, SETTINGS, host, SimWaiter::new);
  }

  @Override
  public String kind() {
    return links.kind();
  }

  @Override
  public Availability availability() {
    return links.availability();
  }

  @Override
  public UpgradeDriver newDriver(Runnable wakeLoop) {
    UpgradeDriver driver = links.newDriver(wakeLoop);
    drivers.add(driver);
    return SeenCalls.of(
        driver,
        (method, arguments) -> {
          if (method.equals("request")) {
            arguments[0] = HERE; // every peer counts as a process of this host
          } else if (method.equals("offer") && refuses) {
            throw new LinkException("the plan has it that no link can be had", null);
          }
        });
  }

  @Override
  public Map<String, Long> figures() {
    return links.figures();
  }

  /** Returns one of the {@linkplain #figures figures}. */
  public long figure(String name) {
    return links.figures().getOrDefault(name, 0L);
  }

  /** Cuts the links. Each end takes the other's process for dead. */
  public void cut() {
    try {
      for (SelectionKey key : keys()) {
        if (key.channel() instanceof SocketChannel link) {
          link.shutdownInput();
          link.shutdownOutput();
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Delays wake-ups of its loops. */
  public void late(long nanos) {
    late = nanos;
  }

  /** Stops wake-ups of its loops and the acceptance of connections, or ends that. */
  public void deaf(boolean deaf) {
    this.deaf = deaf;
  }

  /** Makes the process offer no links, or ends that. */
  public void refuse(boolean refuses) {
    this.refuses = refuses;
  }

  /** Removes the files of the process, as a cleaner of temporary files does. */
  public void removeFiles() {
    try {
      for (SelectionKey key : keys()) {
        if (key.channel() instanceof ServerSocketChannel server
            && server.getLocalAddress() instanceof UnixDomainSocketAddress bell
            && Files.exists(bell.getPath())) {
          Path directory = bell.getPath().getParent();
          try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
              Files.delete(file);
            }
          }
          Files.delete(directory);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<SelectionKey> keys() {
    List<SelectionKey> keys = new ArrayList<>();
    for (SimWaiter waiter : waiters) {
      if (waiter.sockets.isOpen()) {
        waiter.sockets.keys().stream().filter(SelectionKey::isValid).forEach(keys::add);
      }
    }
    return keys;
  }

  /** Kills the process. The kernel closes its sockets, and written bytes stay. */
  void kill() {
    killed = true;
    try {
      for (SelectionKey key : keys()) {
        key.channel().close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Frees its memory outside the heap. Effects on its dead ends are not checked. */
  void free() {
    for (UpgradeDriver driver : drivers) {
      driver.close();
    }
  }

  void look() {
    if (!killed && !deaf && !host.standsStill()) {
      waiters.forEach(SimWaiter::look);
    }
  }

  /** Waits at the sockets of one loop in virtual time. */
  private final class SimWaiter implements Waiter {
    private final Selector sockets;
    private final Consumer<SelectionKey> ready;
    private final Runnable wakeLoop;
    private long limitMillis;
    private Agenda.@Nullable Entry limit;
    private boolean waiting;
    private boolean comes;

    SimWaiter(Selector sockets, Consumer<SelectionKey> ready, Runnable wakeLoop) {
      this.sockets = sockets;
      this.ready = ready;
      this.wakeLoop = wakeLoop;
      waiters.add(this);
    }

    @Override
    public boolean waitFor(long millis) {
      waiting = true;
      if (millis != limitMillis) {
        limitMillis = millis;
        if (limit != null) {
          limit.callOff();
        }
        wakeInTime();
      }
      return true;
    }

    private void wakeInTime() {
      limit =
          limitMillis == 0
              ? null
              : agenda.after(
                  limitMillis * NANOS_PER_MILLI,
                  () -> {
                    if (sockets.isOpen() && !killed) {
                      wakeLoop.run();
                      wakeInTime();
                    }
                  });
    }

    void look() {
      if (waiting && !comes && sockets.isOpen() && select(any -> {}) > 0) {
        comes = true;
        Agenda.Entry _ = agenda.after(1 + random.nextInt(WAKE_UP_NANOS) + late, this::hear);
      }
    }

    private void hear() {
      comes = false;
      if (sockets.isOpen() && !killed && !deaf && !host.standsStill()) {
        int _ = select(ready);
      }
    }

    private int select(Consumer<SelectionKey> told) {
      try {
        return sockets.selectNow(told);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public boolean isWaiting() {
      return waiting;
    }

    @Override
    public void close() {
      waiters.remove(this);
    }
  }
}
