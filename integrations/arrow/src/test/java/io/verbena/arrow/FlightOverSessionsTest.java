package io.verbena.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.grpc.Server;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Received;
import io.verbena.core.VerbenaClient;
import io.verbena.grpc.VerbenaChannelBuilder;
import io.verbena.grpc.VerbenaServerBuilder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightGrpcUtils;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.auth.ServerAuthHandler;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Flight's own client and server over sessions, beside a contract of Verbena at the same port. */
@Timeout(60)
class FlightOverSessionsTest {
  private static final int ROWS = 3000;
  private static final int BATCHES = 20;

  /** So many that a column is not copied. */
  private static final int MANY_ROWS = 20_000;

  private static final String COPIED = "copied";
  private static final String IN_PLACE = "in place";
  private static final Schema SCHEMA =
      new Schema(
          List.of(
              Tables.field("number", new ArrowType.Int(64, true)),
              Tables.field("name", new ArrowType.Utf8()),
              Tables.field("price", new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE))));

  /** Sends a table, again and again; without a copy if the ticket says so. */
  private static final class Producer extends NoOpFlightProducer {
    private final VectorSchemaRoot table;

    Producer(VectorSchemaRoot table) {
      this.table = table;
    }

    @Override
    public void getStream(CallContext context, Ticket ticket, ServerStreamListener listener) {
      listener.setUseZeroCopy(
          new String(ticket.getBytes(), StandardCharsets.UTF_8).equals(IN_PLACE));
      listener.start(table);
      for (int i = 0; i < BATCHES; i++) {
        listener.putNext();
      }
      listener.completed();
    }
  }

  /** The same table by a contract. */
  private record Tablets(VectorSchemaRoot table) implements Warehouse {
    @Override
    public byte[] schema() {
      return SCHEMA.serializeAsMessage();
    }

    @Override
    public Received read(int rows, Landing into) {
      return Received.from(ArrowBatches.source(table));
    }

    @Override
    public int take(ObjectRef batch) {
      throw new UnsupportedOperationException();
    }
  }

  @Test
  void flightAndContractsShareAPort() throws Exception {
    flightAndContracts(ROWS, COPIED);
  }

  @Test
  void flightSendsFromItsOwnBuffers() throws Exception {
    flightAndContracts(MANY_ROWS, IN_PLACE);
  }

  @SuppressWarnings({
    "try",
    "deprecation"
  }) // Flight's may be interrupted; its helper takes no other
  private static void flightAndContracts(int rows, String ticket) throws Exception {
    boolean flagged =
        Object.class.getModule().isOpen("java.nio", FlightOverSessionsTest.class.getModule());
    assumeTrue(flagged, "Flight needs a flag: the execution 'flight' of this module has it");
    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot sent = Tables.filled(SCHEMA, allocator, rows, 1)) {
      List<String> values = Tables.values(sent);
      Server server =
          VerbenaServerBuilder.forAddress("127.0.0.1:0")
              .maxInboundMessageSize(Integer.MAX_VALUE)
              .addService(
                  FlightGrpcUtils.createFlightService(
                      allocator, new Producer(sent), ServerAuthHandler.NO_OP, threads))
              .engine(engine -> engine.serve(WarehouseRpc.bind(new Tablets(sent))))
              .build()
              .start();
      try (FlightClient flight =
              FlightGrpcUtils.createFlightClient(
                  allocator,
                  VerbenaChannelBuilder.forAddress("127.0.0.1", server.getPort())
                      .usePlaintext()
                      .maxInboundMessageSize(Integer.MAX_VALUE)
                      .build());
          FlightStream stream =
              flight.getStream(new Ticket(ticket.getBytes(StandardCharsets.UTF_8)));
          VerbenaClient client = VerbenaClient.builder().build();
          Session session = client.connect("127.0.0.1:" + server.getPort());
          VectorSchemaRoot read = VectorSchemaRoot.create(SCHEMA, allocator)) {
        int batches = 0;
        while (stream.next()) {
          assertThat(Tables.values(stream.getRoot())).isEqualTo(values);
          batches++;
        }
        assertThat(batches).isEqualTo(BATCHES);
        ArrowBatches.load(WarehouseRpc.client(session).read(rows, Landing.pooled(8 << 20)), read);
        assertThat(Tables.values(read)).isEqualTo(values);
      } finally {
        assertThat(server.shutdownNow().awaitTermination(20, TimeUnit.SECONDS)).isTrue();
        threads.shutdown();
      }
    }
  }
}
