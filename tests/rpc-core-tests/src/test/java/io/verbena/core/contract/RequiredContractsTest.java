package io.verbena.core.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client may ask for contracts when it connects, instead of learning from its calls. */
class RequiredContractsTest {
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

  @TempDir private static Path directory;

  private static ServiceBinding serving(String source) throws Exception {
    return ContractVersion.compile(source, directory).bind((proxy, method, arguments) -> 0L);
  }

  private static ContractVersion calling(String source) throws Exception {
    return ContractVersion.compile(source, directory);
  }

  /** Connects as a version of the contract to a server of another. */
  private static Session connect(VerbenaClient client, String source, ServiceBinding... served)
      throws Exception {
    VerbenaServer.Builder server = VerbenaServer.builder().listen("mem://required-contracts:0");
    for (ServiceBinding binding : served) {
      server.serve(binding);
    }
    try (VerbenaServer started = server.start()) {
      return client.connect(started.address().toString(), calling(source).service());
    }
  }

  private static void assertRefused(String words, String source, ServiceBinding... served) {
    try (VerbenaClient client = VerbenaClient.builder().build()) {
      assertThatThrownBy(() -> connect(client, source, served))
          .isInstanceOfSatisfying(
              RpcException.class,
              e -> {
                assertThat(e.status()).isEqualTo(RpcStatus.INCOMPATIBLE);
                assertThat(e).hasMessageContaining("not every method of shop.v1 can be called");
                assertThat(e).hasMessageContaining(words);
              });
    }
  }

  @Test
  void theSameContractFits() throws Exception {
    try (VerbenaClient client = VerbenaClient.builder().build()) {
      assertThat(connect(client, SHOP, serving(SHOP))).isNotNull();
    }
  }

  @Test
  void namesThatChangedFit() throws Exception {
    try (VerbenaClient client = VerbenaClient.builder().build()) {
      assertThat(connect(client, SHOP, serving(SHOP.replace("Item", "Article")))).isNotNull();
    }
  }

  @Test
  void membersThatChangedPlacesAreNamed() throws Exception {
    String swapped = SHOP.replace("String text, String language", "String language, String text");
    assertRefused("method find (id 1), parameter 1 is 'text: ", SHOP, serving(swapped));
  }

  @Test
  void aMethodThatIsNotThereIsNamed() throws Exception {
    String without = SHOP.replace("@RpcMethod(id = 2) long count();", "");
    assertRefused("method count (id 2) is not in the peer's contract", SHOP, serving(without));
  }

  @Test
  void aServiceThatIsNotThereIsUnimplementedAsACallOfItIs() {
    try (VerbenaClient client = VerbenaClient.builder().build()) {
      assertThatThrownBy(() -> connect(client, SHOP))
          .isInstanceOfSatisfying(
              RpcException.class, e -> assertThat(e.status()).isEqualTo(RpcStatus.UNIMPLEMENTED))
          .hasMessageContaining("shop.v1: the peer serves no service");
    }
  }
}
