package io.verbena.junit;

import static io.verbena.junit.Inner.failuresOf;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The parameters that a test may have. */
class ParametersTest {
  @Test
  void aContractThatIsNotServedIsToldFromOtherTypes() {
    for (Class<?> test : new Class<?>[] {OfATest.class, OfASetUp.class}) {
      assertThat(failuresOf(test))
          .singleElement()
          .satisfies(
              failure ->
                  assertThat(failure)
                      .isInstanceOf(ParameterResolutionException.class)
                      .hasMessageContaining(
                          "Prices is a contract, but not among those served (Store). Add its"
                              + " service: VerbenaExtension.serving(…, PricesRpc.bind("));
    }
    assertThat(failuresOf(OfAnotherType.class))
        .singleElement()
        .satisfies(
            failure -> assertThat(failure).hasMessageContaining("No ParameterResolver registered"));
  }

  @Test
  void anotherExtensionMayProvideWhatIsNotServed() {
    assertThat(failuresOf(OfAnotherExtension.class)).isEmpty();
  }

  /** Run by the tests above alone. */
  abstract static class ServesStores {
    @RegisterExtension
    final VerbenaExtension verbena = VerbenaExtension.serving(StoreRpc.bind(new MyStore()));
  }

  /** Run by the tests above alone. */
  static class OfATest extends ServesStores {
    @Test
    void takes(Prices prices) {}
  }

  /** Run by the tests above alone. */
  static class OfASetUp extends ServesStores {
    @BeforeEach
    void take(Store store, Prices prices) {}

    @Test
    void isNotReached() {}
  }

  /** Run by the tests above alone. */
  static class OfAnotherType extends ServesStores {
    @Test
    void takes(Runnable other) {}
  }

  /** Run by the tests above alone. */
  @ExtendWith(OfAnotherExtension.Fixed.class)
  static class OfAnotherExtension extends ServesStores {
    /** Provides prices, as a library of mocks does. */
    static final class Fixed implements ParameterResolver {
      @Override
      public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Prices.class;
      }

      @Override
      public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return (Prices) key -> 7;
      }
    }

    @Test
    void takes(Prices prices) {
      assertThat(prices.of("key")).isEqualTo(7);
    }
  }
}
