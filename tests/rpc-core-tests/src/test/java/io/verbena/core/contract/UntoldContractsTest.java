package io.verbena.core.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that knows its clients tells its contract to those alone that have one of it. */
class UntoldContractsTest {
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
  private static final Duration SOON = Duration.ofSeconds(20);

  @TempDir private static Path directory;

  private static ContractVersion shop;

  private final VerbenaClient client = VerbenaClient.builder().token(() -> "Ada").build();
  private VerbenaServer server;
  private Session session;

  @BeforeAll
  static void compile() throws Exception {
    shop = ContractVersion.compile(SHOP, directory);
  }

  @BeforeEach
  void connect() throws Exception {
    server =
        VerbenaServer.builder()
            .listen("mem://untold-contracts:0")
            .authenticator(shown -> shown.token())
            .serve(shop.bind((proxy, method, arguments) -> 7L))
            .start();
    session = client.connect(server.address().toString());
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  private void assertNotTold(CompletionStage<?> asked) {
    assertThat(asked)
        .failsWithin(SOON)
        .withThrowableOfType(ExecutionException.class)
        .havingCause()
        .withMessageContaining("tellContracts(true)")
        .isInstanceOfSatisfying(
            RpcException.class, e -> assertThat(e.status()).isEqualTo(RpcStatus.PERMISSION_DENIED));
  }

  private CompletableFuture<?> count(ContractVersion version) throws Exception {
    Object async = version.asyncClient(session);
    return (CompletableFuture<?>) version.asyncContract().getMethod("count").invoke(async);
  }

  private CompletableFuture<?> find(ContractVersion version) throws Exception {
    Object async = version.asyncClient(session);
    return (CompletableFuture<?>)
        version
            .asyncContract()
            .getMethod("find", String.class, String.class)
            .invoke(async, "tea", "en");
  }

  private static RpcException failure(CompletableFuture<?> call) {
    assertThat(call).failsWithin(SOON);
    return (RpcException) call.exceptionNow();
  }

  @Test
  void aClientWithoutAContractIsToldOfNone() throws Exception {
    assertNotTold(client.services(session));
    assertNotTold(client.schema(session, "shop.v1"));
    assertThat(count(shop)).succeedsWithin(SOON).isEqualTo(7L);
    assertNotTold(client.services(session));
    assertNotTold(client.schema(session, "shop.v1"));
  }

  @Test
  void itIsToldWhereTheServerSaysSo() throws Exception {
    try (VerbenaServer telling =
            VerbenaServer.builder()
                .listen("mem://told-all-the-same:0")
                .authenticator(shown -> shown.token())
                .tellContracts(true)
                .serve(shop.bind((proxy, method, arguments) -> 7L))
                .start();
        Session told = client.connect(telling.address().toString())) {
      assertThat(client.services(told)).succeedsWithin(SOON).asString().isEqualTo("[shop.v1]");
      assertThat(client.schema(told, "shop.v1"))
          .succeedsWithin(SOON)
          .isEqualTo(shop.service().schema());
    }
  }

  @Test
  void theContractsOfAClientAreComparedWhenItConnects() throws Exception {
    client.connect(server.address().toString(), shop.service()).close();
    ContractVersion other = version("shop.v1", "find(String text, int number)", "count()");
    assertThatThrownBy(() -> client.connect(server.address().toString(), other.service()))
        .isInstanceOfSatisfying(
            RpcException.class, e -> assertThat(e.status()).isEqualTo(RpcStatus.INCOMPATIBLE));
    ContractVersion unknown = version("shop.v9", "find(String text, String language)", "count()");
    assertThatThrownBy(() -> client.connect(server.address().toString(), unknown.service()))
        .hasMessageContaining("the peer does not serve this service")
        .isInstanceOfSatisfying(
            RpcException.class, e -> assertThat(e.status()).isEqualTo(RpcStatus.UNIMPLEMENTED));
  }

  private static ContractVersion version(String name, String find, String count) throws Exception {
    return ContractVersion.compile(
        SHOP.replace("shop.v1", name)
            .replace("find(String text, String language)", find)
            .replace("count()", count),
        directory);
  }

  /** As in a rolling change: what fits goes on, and what does not says why. */
  @Test
  void eachMethodOfAnotherVersionIsJudgedByItself() throws Exception {
    assertThat(count(changed("Item", "Good"))).succeedsWithin(SOON).isEqualTo(7L);
    ContractVersion otherType = changed("Item(String name", "Item(long name");
    assertThat(count(otherType)).succeedsWithin(SOON).isEqualTo(7L);
    RpcException misfit = failure(find(otherType));
    assertThat(misfit.status()).isEqualTo(RpcStatus.INCOMPATIBLE);
    assertThat(misfit).hasMessageContaining("name");
    ContractVersion otherMethod = changed("id = 1", "id = 3");
    assertThat(count(otherMethod)).succeedsWithin(SOON).isEqualTo(7L);
    assertThat(failure(find(otherMethod)).status()).isEqualTo(RpcStatus.UNIMPLEMENTED);
  }

  /** Another version, and a session for it. */
  private ContractVersion changed(String text, String other) throws Exception {
    session = client.connect(server.address().toString());
    return ContractVersion.compile(SHOP.replace(text, other), directory);
  }

  @Test
  void callsOfAServiceThatIsNotServedAreToldSoEachTime() throws Exception {
    ContractVersion unknown = version("shop.v9", "find(String text, String language)", "count()");
    for (int i = 0; i < 2; i++) {
      RpcException failure = failure(count(unknown));
      assertThat(failure.status()).isEqualTo(RpcStatus.UNIMPLEMENTED);
      assertThat(failure).hasMessageContaining("the peer does not serve this service");
    }
  }
}
