package io.verbena.rdma;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.verbena.link.ProviderChoice;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.HostAddress;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsProvider;
import io.verbena.verbs.ext.WaitSet;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Wraps the verbs provider of this process. Callers get a {@link VerbsException} for every
 * exception that the provider throws, and are prepared for that type. Safe for use by any thread.
 */
public final class GuardedVerbs implements VerbsProvider {
  /** The system property that names the provider, if the class path has several. */
  public static final String PROPERTY = "verbena.verbs";

  private final ProviderChoice<VerbsProvider> choice;

  private GuardedVerbs(ProviderChoice<VerbsProvider> choice) {
    this.choice = choice;
  }

  /**
   * Returns the verbs on the class path. Of several providers it takes the first by priority that
   * has a device, or the one that the system property {@code verbena.verbs} names. If there is
   * none, {@link #problem()} gives the reason.
   */
  public static GuardedVerbs onClassPath() {
    return new GuardedVerbs(
        ProviderChoice.of(VerbsProvider.class, VerbsProvider::name, VerbsProvider::priority)
            .named(PROPERTY));
  }

  /** Returns the verbs of this provider. */
  public static GuardedVerbs of(VerbsProvider provider) {
    return provider instanceof GuardedVerbs guarded
        ? guarded
        : new GuardedVerbs(ProviderChoice.just(provider));
  }

  private interface Ask<T> {
    T of(VerbsProvider provider) throws Throwable;
  }

  private <T> T ask(String what, Ask<T> question) throws IOException {
    VerbsProvider provider = choice.get(one -> problem(one).isEmpty());
    if (provider == null) {
      throw none();
    }
    return ask(provider, what, question);
  }

  private static <T> T ask(VerbsProvider provider, String what, Ask<T> question)
      throws IOException {
    try {
      return Objects.requireNonNull(question.of(provider), "null");
    } catch (IOException e) {
      throw e;
    } catch (Throwable thrown) {
      throw unexpected(what, thrown);
    }
  }

  private VerbsException none() {
    String why = choice.whyNone();
    return new VerbsException(
        "the search for verbs",
        Errno.ENODEV,
        why.isEmpty()
            ? "no verbs provider is on the class path. Add io.verbena:verbs-ffm."
            : "no verbs provider can be used: " + why + ".");
  }

  private static VerbsException unexpected(String what, Throwable thrown) {
    VerbsException failure = new VerbsException(what, Errno.EIO, RdmaFailureText.of(thrown) + ".");
    failure.initCause(thrown);
    return failure;
  }

  @Override
  public String name() {
    try {
      return ask("name()", VerbsProvider::name);
    } catch (IOException e) {
      return "no verbs";
    }
  }

  @Override
  public Optional<VerbsException> problem() {
    VerbsProvider provider = choice.get(one -> problem(one).isEmpty());
    return provider == null ? Optional.of(none()) : problem(provider);
  }

  private static Optional<VerbsException> problem(VerbsProvider provider) {
    try {
      return ask(provider, "the search for verbs devices", VerbsProvider::problem);
    } catch (VerbsException e) {
      return Optional.of(e);
    } catch (IOException e) {
      return Optional.of(unexpected("the search for verbs devices", e));
    }
  }

  @Override
  public RdmaEventChannel createEventChannel() throws IOException {
    return ask("rdma_create_event_channel", VerbsProvider::createEventChannel);
  }

  @Override
  public List<IbvContext> devices() throws IOException {
    return ask("rdma_get_devices", VerbsProvider::devices);
  }

  @Override
  public List<HostAddress> hostAddresses() throws IOException {
    return ask("the search for network interfaces", VerbsProvider::hostAddresses);
  }

  @Override
  public WaitSet newWaitSet() throws IOException {
    return ask("epoll_create1", VerbsProvider::newWaitSet);
  }
}
