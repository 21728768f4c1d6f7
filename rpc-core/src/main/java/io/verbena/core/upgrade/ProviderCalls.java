package io.verbena.core.upgrade;

import io.verbena.link.LinkException;
import io.verbena.link.UpgradeProvider;
import io.verbena.link.UpgradeProvider.Availability;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.link.runtime.Thrown;
import java.net.URI;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * Calls a provider of better links or its driver. If it throws, only that call fails. Safe for use
 * by any thread.
 */
public final class ProviderCalls {
  private static final ThrottledLog FAILED =
      ThrottledLog.of(ProviderCalls.class, "failures of providers of better links");
  private static final int MOST_CHARACTERS = 300;

  private ProviderCalls() {}

  /**
   * A call of one method.
   *
   * @param <T> its result
   */
  @FunctionalInterface
  public interface Question<T> {
    T ask() throws LinkException;
  }

  /**
   * Makes a call.
   *
   * @param method for messages, such as {@code "request()"}
   * @throws LinkException if it throws anything or returns null; the message gives the reason
   */
  public static <T> T ask(String method, Question<T> question) throws LinkException {
    try {
      return Objects.requireNonNull(question.ask(), "it returned null");
    } catch (LinkException e) {
      throw e;
    } catch (Throwable thrown) {
      throw failure(method, thrown);
    }
  }

  /** Returns whether a provider's links are available now. If it fails, they are not. */
  public static Availability availability(UpgradeProvider provider) {
    return askOr("availability()", provider::availability, Availability.Unavailable::new);
  }

  /** Returns the kind of a provider's links, or the name of its class if it fails. */
  public static String kind(UpgradeProvider provider) {
    return askOr("kind()", provider::kind, why -> provider.getClass().getName());
  }

  /** Returns the reason why a provider's links cannot reach a peer; empty if they may. */
  public static String outOfReach(UpgradeProvider provider, URI peer) {
    return askOr("outOfReach()", () -> provider.outOfReach(peer), why -> why);
  }

  /** Returns whether a request is of a provider's kind; false if the provider fails. */
  public static boolean understands(UpgradeProvider provider, byte[] request) {
    return askOr("understands()", () -> provider.understands(request), why -> false);
  }

  /** Returns a provider's figures; none if it fails. */
  public static Map<String, Long> figures(UpgradeProvider provider) {
    return askOr("figures()", provider::figures, why -> Map.of());
  }

  /** Makes a call. If it fails, its result comes from the reason. */
  private static <T> T askOr(String method, Question<T> question, Function<String, T> otherwise) {
    try {
      return ask(method, question);
    } catch (LinkException e) {
      return otherwise.apply(String.valueOf(e.getMessage()));
    }
  }

  /** Logs the exception of a method, and returns it as the failure of an attempt, in one line. */
  public static LinkException failure(String method, Throwable thrown) {
    Throwable root = thrown;
    while (root instanceof ExceptionInInitializerError && root.getCause() != null) {
      root = root.getCause(); // the cause says more than the failed initialization of a class
    }
    String words = Thrown.fullWords(root).lines().findFirst().orElse("");
    String why =
        "its provider failed at "
            + method
            + ": "
            + words.substring(0, Math.min(words.length(), MOST_CHARACTERS));
    FAILED.warn("No better link, for {}; sessions stay on TCP, or go back to it", why, thrown);
    return new LinkException(why, null); // without a cause, which may throw when it is logged
  }
}
