package io.verbena.junit;

import io.verbena.api.Session;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.stub.Stubs;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/**
 * Gives each test its own server, and a client with an open session to it, over the in-memory link.
 * Both are closed after the test. The test fails if it still holds resources by then.
 *
 * <pre>{@code
 * @RegisterExtension
 * final VerbenaExtension verbena = VerbenaExtension.serving(StoreRpc.bind(new MyStore()));
 *
 * @Test
 * void findsWhatWasPut(Store store) {
 *   store.put("key", "value");
 *   assertThat(store.get("key")).isEqualTo("value");
 * }
 * }</pre>
 *
 * <p>A test's parameters may be the {@link Session} and blocking clients of the contracts served.
 * An extension serves one test at a time; within that test it is safe for use by any thread.
 */
public final class VerbenaExtension
    implements BeforeEachCallback,
        AfterEachCallback,
        ParameterResolver,
        TestExecutionExceptionHandler,
        LifecycleMethodExecutionExceptionHandler {
  private final List<ServiceBinding> services;
  private final List<Consumer<VerbenaServer.Builder>> ofServer = new ArrayList<>();
  private final List<Consumer<VerbenaClient.Builder>> ofClient = new ArrayList<>();
  private boolean stepped;
  private volatile @Nullable TestPair pair;

  private VerbenaExtension(List<ServiceBinding> services) {
    this.services = services;
  }

  /**
   * Serves contracts in each test, as in {@code serving(StoreRpc.bind(new MyStore()))}. In an
   * instance field the services are new for each test, because JUnit makes a new instance for each.
   */
  public static VerbenaExtension serving(ServiceBinding... services) {
    return new VerbenaExtension(List.of(services));
  }

  /**
   * Configures the server: limits, an authenticator, interceptors. The settings must not change its
   * address.
   */
  public VerbenaExtension server(Consumer<VerbenaServer.Builder> settings) {
    ofServer.add(settings);
    return this;
  }

  /** Configures the client: limits, a token, interceptors. */
  public VerbenaExtension client(Consumer<VerbenaClient.Builder> settings) {
    ofClient.add(settings);
    return this;
  }

  /**
   * Stops time for both ends until the test {@linkplain #time advances it}. A deadline of a minute
   * then passes at once, and no deadline passes by chance.
   */
  public VerbenaExtension steppedTime() {
    stepped = true;
    return this;
  }

  /**
   * Returns the client's session with the server.
   *
   * @throws IllegalStateException outside of a test
   */
  public Session session() {
    return running().session();
  }

  /**
   * Returns a blocking client of a contract.
   *
   * @throws IllegalStateException outside of a test, or if the contract's generated class is
   *     missing
   */
  public <T> T client(Class<T> contract) {
    return Stubs.client(contract, session());
  }

  /**
   * Returns the faults of this test. There is none at its beginning.
   *
   * @throws IllegalStateException outside of a test
   */
  public Faults faults() {
    return running().faults();
  }

  /**
   * Returns the time of both ends.
   *
   * @throws IllegalStateException outside of a test, or without {@link #steppedTime}
   */
  public SteppedTime time() {
    SteppedTime time = running().steppedTime();
    if (time == null) {
      throw new IllegalStateException(
          "time passes by itself here; set the extension up with steppedTime()");
    }
    return time;
  }

  /**
   * Breaks the connection, as a network failure does. The client connects again, and the session
   * resumes: no call is lost, and none is executed twice. Returns at once.
   *
   * @throws IllegalStateException outside of a test
   */
  public void dropLink() {
    running().dropLink();
  }

  private TestPair running() {
    TestPair now = pair;
    if (now == null) {
      throw new IllegalStateException(
          "no test runs: server and client are there from before @BeforeEach until after"
              + " @AfterEach, in a field with @RegisterExtension");
    }
    return now;
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    if (pair != null) {
      throw new IllegalStateException(
          "this extension serves another test already; give each test one of its own, in a field"
              + " that is not static");
    }
    pair = TestPair.start(services, ofServer, ofClient, stepped);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    TestPair ending = pair;
    if (ending == null) {
      return; // the start failed
    }
    try {
      ending.checkForLeaks();
    } finally {
      pair = null;
      ending.close();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == Session.class
        || services.stream().anyMatch(binding -> binding.service().type() == type);
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == Session.class ? session() : client(type);
  }

  @Override
  public void handleTestExecutionException(ExtensionContext context, Throwable thrown)
      throws Throwable {
    throw UnservedContracts.told(thrown, services, context);
  }

  @Override
  public void handleBeforeEachMethodExecutionException(ExtensionContext context, Throwable thrown)
      throws Throwable {
    throw UnservedContracts.told(thrown, services, context);
  }

  @Override
  public void handleAfterEachMethodExecutionException(ExtensionContext context, Throwable thrown)
      throws Throwable {
    throw UnservedContracts.told(thrown, services, context);
  }
}
