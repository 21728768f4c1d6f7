package io.verbena.samples.grpc;

import io.grpc.Server;
import io.grpc.Status;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.stub.StreamObserver;
import io.verbena.grpc.VerbenaServerBuilder;
import java.io.IOException;

/** Serves prices. The service is written for gRPC, and knows nothing of Verbena. */
public final class PriceServer {
  private static final int PRICES = 10;

  private PriceServer() {}

  /** An ordinary service of gRPC. */
  static final class PricesService extends PricesGrpc.PricesImplBase {
    @Override
    public void last(Symbol request, StreamObserver<Price> response) {
      if (request.getName().isEmpty()) {
        response.onError(
            Status.INVALID_ARGUMENT.withDescription("which symbol?").asRuntimeException());
        return;
      }
      response.onNext(price(request.getName(), 0));
      response.onCompleted();
    }

    @Override
    public void watch(Symbol request, StreamObserver<Price> response) {
      for (int i = 0; i < PRICES; i++) {
        response.onNext(price(request.getName(), i));
      }
      response.onCompleted();
    }

    private static Price price(String symbol, int number) {
      return Price.newBuilder().setSymbol(symbol).setCents(100L * symbol.length() + number).build();
    }
  }

  /** Starts a server at a port; 0 is any free one. */
  static Server start(int port) throws IOException {
    Server server =
        VerbenaServerBuilder.forPort(port)
            .addService(new PricesService())
            .addService(new HealthStatusManager().getHealthService())
            .build();
    return server.start();
  }

  /** Serves until the process ends: {@code PriceServer PORT}. */
  public static void main(String[] arguments) throws Exception {
    Server server = start(Integer.parseInt(arguments[0]));
    System.out.println("Prices at port " + server.getPort());
    server.awaitTermination();
  }
}
