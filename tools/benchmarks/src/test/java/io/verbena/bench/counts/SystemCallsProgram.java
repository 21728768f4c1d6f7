package io.verbena.bench.counts;

import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.bench.load.Messages;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A client and a server over TCP, each with a loop's thread of its own, for {@link Strace} to look
 * at. Looks for files that there are not, whose names say what follows.
 */
final class SystemCallsProgram {
  /** Stands before the names of these files. */
  static final String MARK = "/verbena-counts/";

  /** A mark: here begins what a load does, whose name follows. */
  static final String BEGIN = "begin/";

  /** A mark: here it ends. */
  static final String END = "end/";

  /** The load that is made by a blocked thread. */
  static final String BLOCKING = "BLOCKING";

  /** The load that is made without Verbena. */
  static final String RAW = "RAW";

  /** The thread that is blocked. */
  static final String CALLER = "caller";

  /** How often every load is done; the first time, in which it becomes warm, is not counted. */
  static final int ROUNDS = 4;

  private static final Duration LEASE = Duration.ofDays(1);
  private static final TransferOptions PLAIN = TransferOptions.DEFAULT.withoutChecksum();

  private final Session session;
  private final VerbenaServer server;
  private final Servant servant;
  private final Counted blocking;
  private final CountedRpc.Async async;

  private SystemCallsProgram(Session session, VerbenaServer server, Servant servant) {
    this.session = session;
    this.server = server;
    this.servant = servant;
    this.blocking = CountedRpc.client(session);
    this.async = CountedRpc.async(session);
  }

  /** Does every load, and prints its threads. */
  public static void main(String[] args) throws IOException, InterruptedException {
    Servant servant = new Servant();
    try (VerbenaServer server =
            VerbenaServer.builder()
                .listen("127.0.0.1:0")
                .serve(CountedRpc.bind(servant))
                .onSession(made -> made.objects().onPush(servant))
                .start();
        VerbenaClient client = VerbenaClient.builder().path(PathPolicy.TCP_ONLY).build()) {
      String address = "127.0.0.1:" + server.address().getPort();
      SystemCallsProgram program = new SystemCallsProgram(client.connect(address), server, servant);
      Thread caller = new Thread(program::run, CALLER);
      caller.start();
      caller.join();
    }
  }

  private void run() {
    try (RawPuts raw = new RawPuts(StandardLoad.PUT_1M)) {
      byte[] message = Messages.of(StandardLoad.CALL.size());
      for (int round = 0; round < ROUNDS; round++) {
        mark(BEGIN + BLOCKING);
        for (int i = 0; i < StandardLoad.CALL.operations(); i++) {
          blocking.echo(message);
        }
        mark(END + BLOCKING);
        for (StandardLoad load : StandardLoad.values()) {
          perform(load);
        }
        mark(BEGIN + RAW);
        raw.put();
        mark(END + RAW);
      }
      printThreads();
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void mark(String what) {
    boolean _ = Files.exists(Path.of(MARK + what));
  }

  private static void printThreads() throws IOException {
    try (var tasks = Files.list(Path.of("/proc/self/task"))) {
      for (Path task : tasks.toList()) {
        String name = nameOf(task);
        if (!name.isEmpty()) {
          System.out.println(task.getFileName() + " " + name);
        }
      }
    }
  }

  private static String nameOf(Path task) throws IOException {
    try {
      return Files.readString(task.resolve("comm")).strip();
    } catch (NoSuchFileException e) { // it has ended
      return "";
    }
  }

  private void perform(StandardLoad load) throws InterruptedException {
    try (Arena arena = Arena.ofShared();
        Published published =
            server.publish(Source.of(arena.allocate(load.size(), Long.BYTES)), LEASE)) {
      MemorySegment memory = arena.allocate(load.size(), Long.BYTES);
      Round round = new Round(load, memory, published.ref());
      mark(BEGIN + load.name());
      round.run();
      mark(END + load.name());
    }
  }

  /** The operations of a load, each begun when one before it has ended. */
  private final class Round {
    private final StandardLoad load;
    private final MemorySegment memory;
    private final ObjectRef object;
    private final byte[] message;
    private final AtomicInteger begun = new AtomicInteger();
    private final CountDownLatch left;

    Round(StandardLoad load, MemorySegment memory, ObjectRef object) {
      this.load = load;
      this.memory = memory;
      this.object = object;
      this.message = Messages.of(load.size());
      this.left = new CountDownLatch(load.operations());
    }

    void run() throws InterruptedException {
      if (load.kind() == StandardLoad.Kind.ONEWAY) {
        int until = servant.dropped() + load.operations();
        for (int i = 0; i < load.operations(); i++) {
          blocking.drop(message);
        }
        while (servant.dropped() < until) {
          Thread.sleep(1);
        }
        return;
      }
      for (int i = 0; i < load.together(); i++) {
        begin();
      }
      left.await();
    }

    private void begin() {
      if (begun.incrementAndGet() > load.operations()) {
        return;
      }
      operation()
          .whenComplete(
              (result, failure) -> {
                if (failure != null) {
                  failure.printStackTrace();
                  System.exit(1);
                }
                left.countDown();
                begin();
              });
    }

    private CompletionStage<?> operation() {
      return switch (load.kind()) {
        case CALL -> async.echo(message);
        case VALUE -> async.take(message);
        case PUT -> session.objects().push("put", Source.of(memory), PLAIN).result();
        case FETCH -> session.objects().fetch(object, Landing.of(memory), PLAIN).result();
        case ONEWAY -> throw new IllegalStateException("nobody says when it has ended");
      };
    }
  }
}
