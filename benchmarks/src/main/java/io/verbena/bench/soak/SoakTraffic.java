package io.verbena.bench.soak;

import io.verbena.api.CallOptions;
import io.verbena.api.RpcException;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.bench.soak.Account.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeoutException;

/** Calls and transfers of every kind on some sessions, one after the other of each, until ended. */
final class SoakTraffic {
  /** Longer than any fault and what comes after it. */
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(30);

  private static final Duration TRANSFER_TIMEOUT = Duration.ofSeconds(90);
  private static final TransferOptions CHECKED = TransferOptions.DEFAULT.withChecksum();
  private static final int MOST_VALUE = 300_000;

  /** A breath between two calls, so that faults, and not the processors, set the pace. */
  private static final Duration PAUSE = Duration.ofMillis(1);

  private static final Duration TRANSFER_PAUSE = Duration.ofMillis(20);

  private final Account account;
  private final byte[] object = SoakData.object();
  private final Path file;
  private final Path folder;
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean ended;

  /** Some work that is repeated. */
  @FunctionalInterface
  private interface Turn {
    void take() throws Exception;
  }

  /**
   * Begins.
   *
   * @param folder for the files that are made
   */
  SoakTraffic(List<Session> sessions, Account account, Path folder, SplittableRandom random)
      throws IOException {
    this.account = account;
    this.folder = folder;
    this.file = folder.resolve("pushed");
    Files.write(file, object);
    for (int i = 0; i < sessions.size(); i++) {
      begin(sessions.get(i), i, random.split());
    }
  }

  private void begin(Session session, int index, SplittableRandom random) {
    SoakService service = SoakServiceRpc.client(session, CallOptions.timeout(CALL_TIMEOUT));
    repeat(PAUSE, () -> call(Kind.ENTER, number -> requireNext(number, service.enter(number))));
    repeat(PAUSE, () -> call(Kind.LOOK, number -> requireNext(number, service.look(number))));
    repeat(PAUSE, () -> call(Kind.NOTE, service::note));
    repeat(PAUSE, () -> echo(service, random.nextInt(MOST_VALUE)));
    repeat(TRANSFER_PAUSE, () -> fetch(session, service, "fetch " + index));
    repeat(TRANSFER_PAUSE, () -> fetchFile(session, service, "fetch into file " + index));
    repeat(TRANSFER_PAUSE, () -> push(session, Source.of(object), "push " + index));
    repeat(TRANSFER_PAUSE, () -> push(session, Source.file(file), "push of file " + index));
  }

  private void repeat(Duration pause, Turn turn) {
    threads.add(
        Thread.ofVirtual()
            .start(
                () -> {
                  while (!ended) {
                    takeOne(turn);
                    sleep(pause);
                  }
                }));
  }

  @SuppressWarnings("CatchingUnchecked") // whatever it is, it is a finding
  private void takeOne(Turn turn) {
    try {
      turn.take();
    } catch (Exception e) {
      account.wrong(e.toString());
    }
  }

  private static void sleep(Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // ---- calls ----

  /** A call of a number. */
  @FunctionalInterface
  private interface Numbered {
    void call(long number);
  }

  private void call(Kind kind, Numbered call) {
    long number = account.begin(kind);
    try {
      call.call(number);
      account.succeeded(number);
    } catch (RpcException e) {
      account.failed(number, e.execution());
    } catch (SoakData.WrongAnswer e) {
      account.succeeded(number);
      throw e;
    }
  }

  private static void requireNext(long number, long answer) {
    if (answer != number + 1) {
      throw new SoakData.WrongAnswer("call " + number + " was answered with " + answer);
    }
  }

  private void echo(SoakService service, int length) {
    call(
        Kind.ECHO,
        number -> {
          byte[] value = SoakData.of(number, length);
          SoakData.requireSame(value, service.echo(number, value), "a value");
        });
  }

  // ---- transfers ----

  /** A transfer, from its beginning to a look at what arrived. */
  @FunctionalInterface
  private interface Move {
    void make() throws Exception;
  }

  private void transfer(String name, Move move) throws Exception {
    account.transferBegins(name);
    boolean well = false;
    boolean hangs = false;
    try {
      move.make();
      well = true;
    } catch (TransferException | RpcException e) {
      // its peer was killed, or no path lasted long enough
    } catch (TimeoutException e) {
      hangs = true; // it stays among those under way, and is found there
    } finally {
      if (!hangs) {
        account.transferEnded(name, well);
      }
    }
  }

  private void fetch(Session session, SoakService service, String name) throws Exception {
    transfer(
        name,
        () -> {
          Transfer transfer =
              session.objects().fetch(service.object(), Landing.pooled(object.length), CHECKED);
          try (Received received = transfer.get(TRANSFER_TIMEOUT)) {
            byte[] bytes = received.memory().toArray(ValueLayout.JAVA_BYTE);
            SoakData.requireSame(object, bytes, "a fetched object");
          }
        });
  }

  private void fetchFile(Session session, SoakService service, String name) throws Exception {
    Path into = folder.resolve(name.replace(' ', '-'));
    transfer(
        name,
        () -> {
          Transfer transfer = session.objects().fetch(service.object(), Landing.file(into));
          transfer.get(TRANSFER_TIMEOUT).close();
          SoakData.requireSame(object, Files.readAllBytes(into), "a file");
          Files.delete(into);
        });
  }

  private void push(Session session, Source source, String name) throws Exception {
    transfer(
        name, () -> session.objects().push(name, source, CHECKED).get(TRANSFER_TIMEOUT).close());
  }

  /** Begins nothing more, and waits until what is under way has ended; false if it does not. */
  boolean end(Duration longest) throws InterruptedException {
    ended = true;
    long until = System.nanoTime() + longest.toNanos();
    for (Thread one : threads) {
      one.join(Duration.ofNanos(Math.max(1, until - System.nanoTime())));
    }
    deleteFiles();
    return account.isIdle();
  }

  private void deleteFiles() {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
