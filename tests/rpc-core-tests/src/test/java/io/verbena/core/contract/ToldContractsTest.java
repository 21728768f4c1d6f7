package io.verbena.core.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.stub.Schema;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client that knows no contract is told those of its server. */
class ToldContractsTest {
  private static final String SHOP =
      """
      package shop;
      import io.verbena.api.*;
      @RpcService(name = "shop.v1")
      public interface Shop {
        @RpcMethod(id = 1) Item find(String text, String language);
        @RpcMethod(id = 2) long count();
        record Item(String name, long price) {}
      }
      """;
  private static final Duration SOON = Duration.ofSeconds(10);

  @TempDir private static Path directory;

  private static ContractVersion shop;
  private static ServiceBinding first;
  private static ServiceBinding second;

  private final VerbenaClient client = VerbenaClient.builder().build();
  private VerbenaServer server;
  private Session session;

  @BeforeAll
  static void compile() throws Exception {
    shop = ContractVersion.compile(SHOP, directory);
    first = shop.bind((proxy, method, arguments) -> 7L);
    second =
        ContractVersion.compile(SHOP.replace("shop.v1", "shop.v2"), directory)
            .bind((proxy, method, arguments) -> 7L);
  }

  @BeforeEach
  void connect() {
    server =
        VerbenaServer.builder().listen("mem://told-contracts:0").serve(second).serve(first).start();
    session = client.connect(server.address().toString());
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  private CompletableFuture<Schema> schema(String service) {
    return client.schema(session, service).toCompletableFuture();
  }

  @Test
  void itsServicesAreNamed() {
    assertThat(client.services(session))
        .succeedsWithin(SOON)
        .isEqualTo(List.of("shop.v1", "shop.v2"));
  }

  @Test
  void theContractOfOneIsTold() throws Exception {
    Schema mine = shop.service().schema();
    CompletableFuture<Schema> another = schema("shop.v1");
    assertThat(schema("shop.v1")).succeedsWithin(SOON).isEqualTo(mine);
    assertThat(another).succeedsWithin(SOON).isEqualTo(mine);
    assertThat(schema("shop.v2").get().hash()).isNotEqualTo(mine.hash());
  }

  @Test
  void itIsToldBesideAComparison() throws Exception {
    ContractVersion renamed = ContractVersion.compile(SHOP.replace("Item", "Good"), directory);
    CompletableFuture<Schema> before = schema("shop.v1");
    Object async = renamed.asyncClient(session);
    Object count = renamed.asyncContract().getMethod("count").invoke(async);
    CompletableFuture<Schema> behind = schema("shop.v1");
    assertThat(before).succeedsWithin(SOON);
    assertThat((CompletableFuture<?>) count).succeedsWithin(SOON).isEqualTo(7L);
    assertThat(behind).succeedsWithin(SOON);
    assertThat(before.get().types().getFirst().name()).isEqualTo("shop.Shop.Item");
  }

  @Test
  void ofAServiceThatIsNotServedItIsNot() {
    assertThat(schema("shop.v3"))
        .failsWithin(SOON)
        .withThrowableOfType(ExecutionException.class)
        .havingCause()
        .withMessageContaining("the peer serves shop.v1, shop.v2, not this service")
        .isInstanceOfSatisfying(
            RpcException.class, e -> assertThat(e.status()).isEqualTo(RpcStatus.UNIMPLEMENTED));
  }

  @Test
  void nobodyWaitsForAServerThatIsGone() {
    session.close();
    assertThat(client.services(session)).failsWithin(SOON);
    assertThat(schema("shop.v1")).failsWithin(SOON);
  }
}
