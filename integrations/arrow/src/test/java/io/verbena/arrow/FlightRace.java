package io.verbena.arrow;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import io.grpc.Server;
import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.core.VerbenaClient;
import io.verbena.grpc.VerbenaChannelBuilder;
import io.verbena.grpc.VerbenaServerBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.arrow.flight.AsyncPutListener;
import org.apache.arrow.flight.BackpressureStrategy;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightGrpcUtils;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.auth.ServerAuthHandler;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Record batches by Verbena and by Arrow's Flight, by turns in one run over TCP: one server process
 * has both, and one connection each. Flight also runs over Verbena's sessions, by {@code
 * verbena-grpc}. A batch has two columns of 64-bit integers and two of doubles, 64 Ki rows, 2 MiB.
 * The receiving end reads the last value of each column.
 *
 * <pre>
 *   java --add-opens=java.base/java.nio=ALL-UNNAMED --enable-native-access=ALL-UNNAMED
 *       --sun-misc-unsafe-memory-access=allow
 *       -cp "integrations/arrow/target/test-classes:integrations/arrow/target/classes:$(cat integrations/arrow/target/lab.classpath)"
 *       io.verbena.arrow.FlightRace [ROUNDS [BATCHES]]
 * </pre>
 */
@SuppressWarnings({"try", "deprecation"}) // Flight's may be interrupted; its helper takes no other
final class FlightRace {
  private static final int ROWS = 64 << 10;
  private static final int BATCH_BYTES = 4 * Long.BYTES * ROWS;
  private static final int MOST_BYTES = BATCH_BYTES + (1 << 20);

  /** So many batches Verbena has under way; Flight streams. */
  private static final int UNDER_WAY = 4;

  private static final Schema SCHEMA =
      new Schema(
          List.of(
              Tables.field("a", new ArrowType.Int(64, true)),
              Tables.field("b", new ArrowType.Int(64, true)),
              Tables.field("c", new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE)),
              Tables.field("d", new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE))));

  private FlightRace() {}

  /** The contract of Verbena's server. */
  @RpcService(name = "race.v1")
  interface Race {
    /** Returns the batch. */
    @RpcMethod(id = 1)
    Received get(Landing into);

    /** Returns what the server has used so far. */
    @RpcMethod(id = 2)
    Used used();
  }

  private static VectorSchemaRoot batch(BufferAllocator allocator) {
    VectorSchemaRoot root = VectorSchemaRoot.create(SCHEMA, allocator);
    for (FieldVector vector : root.getFieldVectors()) {
      vector.setInitialCapacity(ROWS);
      vector.allocateNew();
      for (int i = 0; i < ROWS; i++) {
        if (vector instanceof BigIntVector integers) {
          integers.set(i, i);
        } else if (vector instanceof Float8Vector doubles) {
          doubles.set(i, i);
        }
      }
    }
    root.setRowCount(ROWS);
    return root;
  }

  /** Reads the end of each column; fails where it is not what was sent. */
  private static void look(VectorSchemaRoot root) {
    double sum = 0;
    for (FieldVector vector : root.getFieldVectors()) {
      sum += ((Number) vector.getObject(root.getRowCount() - 1)).doubleValue();
    }
    if (root.getRowCount() != ROWS || sum != 4.0 * (ROWS - 1)) {
      throw new IllegalStateException("a batch of " + root.getRowCount() + " rows, sum " + sum);
    }
  }

  /**
   * What a process has used.
   *
   * @param heapBytes allocated
   * @param cpuNanos of all its threads
   */
  record Used(long heapBytes, long cpuNanos) {
    static Used here() {
      return new Used(
          ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getTotalThreadAllocatedBytes(),
          ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
              .getProcessCpuTime());
    }

    Used since(Used before) {
      return new Used(heapBytes - before.heapBytes, cpuNanos - before.cpuNanos);
    }

    Used and(Used other) {
      return new Used(heapBytes + other.heapBytes, cpuNanos + other.cpuNanos);
    }

    /** Returns it by batch. */
    String of(long batches) {
      return "%,d us, heap %,d KiB"
          .formatted(cpuNanos / 1000 / batches, heapBytes / 1024 / batches);
    }
  }

  // ---- the server ----

  /** Loads what is pushed. */
  private static final class Taking implements PushHandler {
    private final BufferAllocator allocator;

    Taking(BufferAllocator allocator) {
      this.allocator = allocator;
    }

    @Override
    public @Nullable Landing offered(Offer offer) {
      return offer.length() > MOST_BYTES ? null : Landing.pooled(offer.length());
    }

    @Override
    public void received(Offer offer, Received received) {
      try (VectorSchemaRoot root = VectorSchemaRoot.create(SCHEMA, allocator)) {
        ArrowBatches.load(received, root);
        look(root);
      }
    }
  }

  /** Flight's side of it. */
  private static final class Producer extends NoOpFlightProducer {
    private final VectorSchemaRoot sent;

    Producer(VectorSchemaRoot sent) {
      this.sent = sent;
    }

    /** The ticket says how many batches, and how they are written. */
    @Override
    public void getStream(CallContext context, Ticket ticket, ServerStreamListener listener) {
      String[] wanted = new String(ticket.getBytes(), StandardCharsets.UTF_8).split(" ", 2);
      BackpressureStrategy pressure = new BackpressureStrategy.CallbackBackpressureStrategy();
      pressure.register(listener);
      listener.setUseZeroCopy(Boolean.parseBoolean(wanted[1]));
      int batches = Integer.parseInt(wanted[0]);
      // Not here: this thread is the one that hears that the client reads.
      Thread.ofPlatform().daemon().start(() -> write(listener, pressure, batches));
    }

    private void write(ServerStreamListener listener, BackpressureStrategy pressure, int batches) {
      listener.start(sent);
      for (int i = 0; i < batches; i++) {
        if (pressure.waitForListener(60_000) != BackpressureStrategy.WaitResult.READY) {
          listener.error(new IllegalStateException("the client does not read"));
          return;
        }
        listener.putNext();
      }
      listener.completed();
    }

    @Override
    public Runnable acceptPut(
        CallContext context, FlightStream stream, StreamListener<PutResult> done) {
      return () -> {
        while (stream.next()) {
          look(stream.getRoot());
        }
        done.onCompleted();
      };
    }
  }

  private static void serve() throws Exception {
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot batch = batch(allocator)) {
      Race race =
          new Race() {
            @Override
            public Received get(Landing into) {
              return Received.from(ArrowBatches.source(batch));
            }

            @Override
            public Used used() {
              return Used.here();
            }
          };
      ExecutorService threads = Executors.newCachedThreadPool();
      Server verbena =
          VerbenaServerBuilder.forAddress("127.0.0.1:0")
              .maxInboundMessageSize(Integer.MAX_VALUE)
              .executor(threads)
              .addService(
                  FlightGrpcUtils.createFlightService(
                      allocator, new Producer(batch), ServerAuthHandler.NO_OP, threads))
              .engine(
                  engine ->
                      engine
                          .serve(FlightRace_RaceRpc.bind(race))
                          .onSession(session -> session.objects().onPush(new Taking(allocator))))
              .build()
              .start();
      try (FlightServer flight =
          FlightServer.builder(
                  allocator, Location.forGrpcInsecure("127.0.0.1", 0), new Producer(batch))
              .build()
              .start()) {
        System.out.println("127.0.0.1:" + verbena.getPort() + " " + flight.getPort());
        int end = System.in.read(); // until the race is over
        System.exit(Math.min(0, end));
      }
    }
  }

  // ---- contestants ----

  /** Moves so many batches. */
  private interface Contestant {
    void move(int batches) throws Exception;
  }

  private record Named(String name, Contestant contestant) {}

  private static List<Named> verbena(Session session, BufferAllocator allocator) {
    FlightRace_RaceRpc.Async race = FlightRace_RaceRpc.async(session);
    VectorSchemaRoot root = VectorSchemaRoot.create(SCHEMA, allocator);
    VectorSchemaRoot sent = batch(allocator);
    return List.of(
        new Named(
            "get  verbena",
            batches -> {
              ArrayDeque<CompletionStage<Received>> calls = new ArrayDeque<>();
              for (int i = 0; i < batches + UNDER_WAY; i++) {
                if (calls.size() == UNDER_WAY || i >= batches) {
                  ArrowBatches.load(calls.remove().toCompletableFuture().get(), root);
                  look(root);
                }
                if (i < batches) {
                  calls.add(race.get(Landing.pooled(MOST_BYTES)));
                }
              }
              root.clear();
            }),
        new Named(
            "put  verbena",
            batches -> {
              ArrayDeque<CompletionStage<Received>> pushes = new ArrayDeque<>();
              for (int i = 0; i < batches + UNDER_WAY; i++) {
                if (pushes.size() == UNDER_WAY || i >= batches) {
                  pushes.remove().toCompletableFuture().get();
                }
                if (i < batches) {
                  Source source = ArrowBatches.source(sent);
                  pushes.add(session.objects().push("batch", source).result());
                }
              }
            }));
  }

  private static Named flightGet(FlightClient client, String name, boolean zeroCopy) {
    return new Named(
        "get  " + name + (zeroCopy ? ", zero copy" : ""),
        batches -> {
          String ticket = batches + " " + zeroCopy;
          try (FlightStream stream =
              client.getStream(new Ticket(ticket.getBytes(StandardCharsets.UTF_8)))) {
            int got = 0;
            while (stream.next()) {
              look(stream.getRoot());
              got++;
            }
            if (got != batches) {
              throw new IllegalStateException(got + " batches of " + batches);
            }
          }
        });
  }

  private static Named flightPut(
      FlightClient client, String name, BufferAllocator allocator, boolean zeroCopy) {
    VectorSchemaRoot sent = batch(allocator);
    return new Named(
        "put  " + name + (zeroCopy ? ", zero copy" : ""),
        batches -> {
          AsyncPutListener results = new AsyncPutListener();
          FlightClient.ClientStreamListener stream =
              client.startPut(FlightDescriptor.path("batch"), sent, results);
          stream.setUseZeroCopy(zeroCopy);
          for (int i = 0; i < batches; i++) {
            long until = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
            while (!stream.isReady()) { // a client is told in no other way
              if (System.nanoTime() - until > 0) {
                throw new IllegalStateException("the server does not read");
              }
              LockSupport.parkNanos(20_000);
            }
            stream.putNext();
          }
          stream.completed();
          results.getResult();
        });
  }

  // ---- the race ----

  private static void race(int rounds, int batches) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(FlightRace.class.getName(), "server"));
    Process server =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (BufferedReader said =
        new BufferedReader(
            new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8))) {
      String line = said.readLine();
      if (line == null) {
        throw new IOException("the server ended before it listened");
      }
      String[] addresses = line.split(" ", 2);
      race(addresses[0], Integer.parseInt(addresses[1]), rounds, batches);
    } finally {
      server.destroyForcibly();
    }
  }

  private static void race(String verbena, int flight, int rounds, int batches) throws Exception {
    BufferAllocator allocator = new RootAllocator();
    try (VerbenaClient client = VerbenaClient.builder().build();
        Session session = client.connect(verbena);
        FlightClient flights =
            FlightClient.builder(allocator, Location.forGrpcInsecure("127.0.0.1", flight)).build();
        FlightClient carried =
            FlightGrpcUtils.createFlightClient(
                allocator,
                VerbenaChannelBuilder.forTarget("verbena:///" + verbena)
                    .usePlaintext()
                    .maxInboundMessageSize(Integer.MAX_VALUE)
                    .build())) {
      Race asked = FlightRace_RaceRpc.client(session);
      List<Named> all = new ArrayList<>(verbena(session, allocator));
      for (boolean zeroCopy : new boolean[] {false, true}) {
        all.add(flightGet(flights, "flight", zeroCopy));
        all.add(flightPut(flights, "flight", allocator, zeroCopy));
      }
      for (boolean zeroCopy : new boolean[] {false, true}) {
        all.add(flightGet(carried, "flight over verbena", zeroCopy));
        all.add(flightPut(carried, "flight over verbena", allocator, zeroCopy));
      }
      double[][] rates = new double[all.size()][rounds];
      Used[] here = new Used[all.size()];
      Used[] there = new Used[all.size()];
      Arrays.fill(here, new Used(0, 0));
      Arrays.fill(there, new Used(0, 0));
      for (int round = -2; round < rounds; round++) { // the first ones warm up
        for (int i = 0; i < all.size(); i++) {
          Used serverBefore = asked.used();
          Used clientBefore = Used.here();
          long begin = System.nanoTime();
          all.get(i).contestant.move(batches);
          double seconds = (System.nanoTime() - begin) / 1e9;
          if (round >= 0) {
            rates[i][round] = (double) batches * BATCH_BYTES / seconds / (1 << 20);
            here[i] = here[i].and(Used.here().since(clientBefore));
            there[i] = there[i].and(asked.used().since(serverBefore));
          }
        }
      }
      System.out.printf("%d x %d batches of %,d bytes, by turns%n", rounds, batches, BATCH_BYTES);
      for (int i = 0; i < all.size(); i++) {
        Arrays.sort(rates[i]);
        System.out.printf(
            "%-36s %,6.0f MiB/s (%,.0f to %,.0f), a batch: client's CPU %s, server's %s%n",
            all.get(i).name,
            rates[i][rounds / 2],
            rates[i][0],
            rates[i][rounds - 1],
            here[i].of((long) batches * rounds),
            there[i].of((long) batches * rounds));
      }
    }
  }

  /** Runs the race, or its server. */
  public static void main(String[] args) throws Exception {
    if (args.length == 1 && args[0].equals("server")) {
      serve();
      return;
    }
    int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 5;
    int batches = args.length > 1 ? Integer.parseInt(args[1]) : 200;
    race(rounds, batches);
    System.exit(0);
  }
}
