package io.verbena.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.verbs.disni.DisniBridge;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.ServiceLoader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** On a machine without RDMA, which most are. */
class MissingDeviceTest {
  @BeforeEach
  void onlyWhereThereIsNoDevice() {
    assumeTrue(
        Files.notExists(Path.of("/dev/infiniband/rdma_cm")), "this machine has an RDMA stack");
  }

  @Test
  void isAValueWithACauseAndACure() {
    Optional<VerbsException> problem = new FfmProvider().problem();

    assertThat(problem).isPresent();
    assertThat(problem.orElseThrow().errno()).isEqualTo(Errno.ENODEV);
    assertThat(problem.orElseThrow()).hasMessageMatching("(?s).*(install|modprobe|need).*");
    assertThat(DisniBridge.install().map(Throwable::getMessage))
        .isEqualTo(problem.map(Throwable::getMessage));
  }

  @Test
  void failsACallWithTheSameWords() {
    FfmProvider provider = FfmProvider.shared();

    assertThatThrownBy(provider::createEventChannel)
        .isInstanceOf(VerbsException.class)
        .hasMessage(provider.problem().orElseThrow().getMessage());
  }

  @Test
  void leavesTheProviderToBeFoundByServiceLoader() {
    assertThat(ServiceLoader.load(VerbsProvider.class))
        .hasAtLeastOneElementOfType(FfmProvider.class);
  }
}
