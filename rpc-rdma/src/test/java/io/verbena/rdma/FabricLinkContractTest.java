package io.verbena.rdma;

import io.verbena.testkit.LinkContract;
import io.verbena.testkit.LinkHarness;
import io.verbena.testkit.Seed;
import io.verbena.verbs.fabric.Personality;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The link contract over verbs in memory that make use of every freedom verbs have. */
@ParameterizedClass(name = "{0}")
@MethodSource("io.verbena.rdma.Adapters#ofLinks")
final class FabricLinkContractTest extends LinkContract {
  @Parameter Personality adapter;

  @SuppressWarnings("NullAway.Init") // by JUnit
  FabricLinkContractTest() {}

  @Override
  protected LinkHarness newHarness() {
    long seed = Seed.random("link contract over a fabric").nextLong();
    return new FabricLinkHarness(seed, adapter.profile());
  }
}
