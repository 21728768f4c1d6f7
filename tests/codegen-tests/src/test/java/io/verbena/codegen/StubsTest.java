package io.verbena.codegen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.stub.Schema;
import io.verbena.api.stub.ServiceDescriptor;
import io.verbena.api.stub.Stubs;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Classes of a contract at run time, generated or not. */
class StubsTest {
  /** No processor runs over this module's tests. */
  @RpcService(name = "unprocessed.v1")
  interface Unprocessed {
    @RpcMethod(id = 1)
    void ping();
  }

  interface Processed {}

  static final class Taken {}

  @Test
  void saysWhatToAddToThePomWhenTheProcessorDidNotRun() {
    assertThatThrownBy(() -> Stubs.service(Unprocessed.class))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("io.verbena.codegen.StubsTest_UnprocessedRpc is missing")
        .hasMessageContaining("<annotationProcessorPaths>")
        .hasMessageContaining("<artifactId>codegen</artifactId>")
        .hasMessageMatching("(?s).*<version>\\d+\\.\\d+\\.\\d+(-SNAPSHOT)?</version>.*");
  }

  @Test
  void findsTheGeneratedClassOfANestedContract() {
    assertThat(Stubs.service(Processed.class).name()).isEqualTo("processed.v1");
  }

  @Test
  void refusesAClassThatOnlyHasTheName() {
    assertThatThrownBy(() -> Stubs.service(Taken.class))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("StubsTest_TakenRpc was not generated");
  }

  static ServiceDescriptor<Processed> descriptor() {
    return new ServiceDescriptor<>(
        Processed.class,
        "processed.v1",
        new Schema("processed.v1", List.of(), List.of()),
        List.of(),
        caller -> new Processed() {});
  }
}

/** Stands for a generated class. */
final class StubsTest_ProcessedRpc {
  static final ServiceDescriptor<StubsTest.Processed> SERVICE = StubsTest.descriptor();

  private StubsTest_ProcessedRpc() {}
}

/** Has a generated class's name by accident. */
final class StubsTest_TakenRpc {
  private StubsTest_TakenRpc() {}
}
