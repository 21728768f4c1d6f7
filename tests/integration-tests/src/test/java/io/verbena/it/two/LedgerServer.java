package io.verbena.it.two;

import io.verbena.api.CallContext;
import io.verbena.api.Execution;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaServer;
import io.verbena.core.bulk.stat.BulkStats;
import io.verbena.it.Pattern;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.verbs.ffm.FfmProvider;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** The server on machine b. Its ledger is a file in memory, which its end by SIGKILL leaves. */
final class LedgerServer implements Ledger, PushHandler {
  /**
   * Patient: a cut of a minute is no end of a session, nor of a call; and on a busy host commands
   * and retransmissions in emulated machines take seconds, for which no link is to be given up.
   */
  static final SessionLimits LIMITS =
      SessionLimits.DEFAULT
          .withKeepalive(Duration.ofSeconds(5), Duration.ofSeconds(20))
          .withDefaultTimeout(Duration.ofSeconds(150))
          .withResumeWindow(Duration.ofSeconds(120));

  /** The line with its process's number, once it serves. */
  static final String SERVING = "serving as ";

  private static final int ENTRIES = 1 << 22;

  private static final Path FILE = Path.of("/dev/shm/ledger");

  private final RdmaUpgradeProvider rdma =
      new RdmaUpgradeProvider(new FfmProvider(), RdmaSettings.DEFAULT, NanoClock.SYSTEM);
  private final AtomicLong wrongPushes = new AtomicLong();
  private final AtomicLong wrongCallsBack = new AtomicLong();
  private final MappedByteBuffer entries;
  private final VerbenaServer server;

  private LedgerServer(String address) throws IOException {
    try (FileChannel file =
        FileChannel.open(
            FILE, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      entries = file.map(FileChannel.MapMode.READ_WRITE, 0, ENTRIES);
    }
    server =
        VerbenaServer.builder()
            .listen(address)
            .limits(LIMITS)
            .upgrades(rdma)
            .onSession(session -> session.objects().onPush(this))
            .serve(LedgerRpc.bind(this))
            .start();
  }

  public static void main(String[] arguments) throws Exception {
    LedgerServer running = new LedgerServer(arguments[0]);
    System.out.println(SERVING + ProcessHandle.current().pid());
    new CountDownLatch(1).await();
    running.server.close();
  }

  @Override
  public int enter(int number) {
    entries.put(number, (byte) (entries.get(number) + 1));
    return number + 1;
  }

  @Override
  public byte[] timesEntered(int from, int count) {
    byte[] times = new byte[count];
    entries.get(from, times);
    return times;
  }

  @Override
  public ObjectRef publish(long bytes) {
    return CallContext.current()
        .session()
        .objects()
        .publish(Pattern.source(bytes), Duration.ofMinutes(5))
        .ref();
  }

  @Override
  public Map<String, Long> figures() {
    Map<String, Long> figures = figures(rdma, server.bulkStats());
    figures.put("wrong pushes", wrongPushes.get());
    figures.put("wrong calls back", wrongCallsBack.get());
    return figures;
  }

  @Override
  public Map<Integer, Execution> callBack(int from, int count) {
    CalledBackRpc.Async caller = CalledBackRpc.async(CallContext.current().session());
    EnterCalls calls = new EnterCalls(caller::enter);
    try {
      for (int number = from; number < from + count; number++) {
        calls.call(number);
      }
      calls.awaitEnd();
    } catch (InterruptedException e) {
      throw new IllegalStateException("calling back took longer than the call may", e);
    }
    calls.problems().forEach(System.out::println);
    wrongCallsBack.addAndGet(calls.problems().size());
    return calls.outcomes();
  }

  /** Returns what one end holds. */
  static Map<String, Long> figures(RdmaUpgradeProvider rdma, BulkStats bulk) {
    Map<String, Long> figures = new TreeMap<>(rdma.figures());
    figures.put("bulk memory in use", bulk.memoryInUse());
    figures.put("bulk quarantined", bulk.quarantined());
    return figures;
  }

  @Override
  public Landing offered(Offer offer) {
    return Landing.pooled(offer.length());
  }

  @Override
  public void received(Offer offer, Received received) {
    try (received) {
      Pattern.check(received.memory(), 0);
    } catch (AssertionError e) {
      wrongPushes.incrementAndGet();
    }
  }
}
