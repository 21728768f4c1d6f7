package io.verbena.link;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The providers of a service on the class path, and the choice among them. A system property may
 * name the provider. Otherwise the usable one with the highest priority is chosen, and the choice
 * never changes afterwards. A provider that cannot be loaded is left out, and {@link #whyNone}
 * reports it. Safe for use by any thread.
 *
 * @param <T> the service
 */
public final class ProviderChoice<T> {
  /**
   * More broken entries than any class path has. The limit also stops an iterator that never ends.
   */
  private static final int MOST_BROKEN = 100;

  private final List<Candidate<T>> candidates;
  private final List<String> obstacles;
  private volatile @Nullable T chosen;

  private record Candidate<T>(T provider, String name, int priority) {
    boolean isCalled(String what) {
      return name.equals(what) || provider.getClass().getName().equals(what);
    }
  }

  private ProviderChoice(List<Candidate<T>> candidates, List<String> obstacles) {
    this.candidates = List.copyOf(candidates);
    this.obstacles = List.copyOf(obstacles);
  }

  /**
   * Finds all providers of a service. It asks the class loader of the service, then Verbena's, then
   * the context class loader of the thread. The context class loader alone does not suffice,
   * because that of a pool's thread may see no providers.
   *
   * @param name returns the name of a provider for users and messages
   * @param priority returns the priority of a provider; the highest is asked first
   */
  public static <T> ProviderChoice<T> of(
      Class<T> service, Function<T, String> name, ToIntFunction<T> priority) {
    List<Candidate<T>> found = new ArrayList<>();
    Set<String> obstacles = new LinkedHashSet<>();
    Set<Class<?>> seen = new HashSet<>();
    // The module of the service requires this module, so this module cannot declare "uses" for it.
    ProviderChoice.class.getModule().addReads(service.getModule()).addUses(service);
    for (ClassLoader loader : loaders(service)) {
      Iterator<ServiceLoader.Provider<T>> providers =
          ServiceLoader.load(service, loader).stream().iterator();
      int broken = 0;
      while (broken < MOST_BROKEN) {
        try {
          if (!providers.hasNext()) {
            break;
          }
          ServiceLoader.Provider<T> provider = providers.next();
          if (seen.add(provider.type())) {
            T one = provider.get();
            found.add(new Candidate<>(one, name.apply(one), priority.applyAsInt(one)));
          }
        } catch (Throwable thrown) { // thrown by the provider, or by the loader because of it
          broken++;
          obstacles.add(words(thrown));
        }
      }
    }
    found.sort(Comparator.comparingInt((Candidate<T> one) -> one.priority()).reversed());
    return new ProviderChoice<>(found, List.copyOf(obstacles));
  }

  private static Set<ClassLoader> loaders(Class<?> service) {
    Set<ClassLoader> loaders = new LinkedHashSet<>();
    loaders.add(service.getClassLoader());
    loaders.add(ProviderChoice.class.getClassLoader());
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    if (context != null) {
      loaders.add(context);
    }
    return loaders;
  }

  /**
   * Returns the remedy if a provider was not found although its class is present; empty if the
   * class is absent.
   *
   * @param service the service that no file lists the provider for
   * @param provider the name of the provider's class
   */
  public static String unlisted(Class<?> service, String provider) {
    for (ClassLoader loader : loaders(service)) {
      try {
        return "%s is there, but no META-INF/services/%s names it. If jars are merged into one, the files of that name must be merged, too, for example by the ServicesResourceTransformer of maven-shade-plugin or mergeServiceFiles() of Gradle's shadow"
            .formatted(Class.forName(provider, false, loader).getName(), service.getName());
      } catch (ClassNotFoundException | LinkageError e) {
        // Another loader may see it.
      }
    }
    return "";
  }

  /** Returns a choice of one provider. */
  public static <T> ProviderChoice<T> just(T provider) {
    return new ProviderChoice<>(
        List.of(new Candidate<>(provider, provider.getClass().getName(), 0)), List.of());
  }

  private static String words(Throwable thrown) {
    Throwable root = thrown;
    while ((root instanceof ServiceConfigurationError || root instanceof LinkageError)
        && root.getCause() != null) {
      root = root.getCause();
    }
    return root == thrown ? thrown.toString() : thrown.getMessage() + ": " + root;
  }

  /**
   * Returns the choice among the providers that a system property names, by name or class. Returns
   * all providers if the property is not set.
   */
  public ProviderChoice<T> named(String property) {
    String wanted = System.getProperty(property, "");
    if (wanted.isEmpty()) {
      return this;
    }
    ProviderChoice<T> left = only(wanted);
    if (!left.candidates.isEmpty()) {
      return left;
    }
    List<String> why = new ArrayList<>();
    why.add(
        "-D%s=%s names none of those on the class path: %s".formatted(property, wanted, names()));
    why.addAll(obstacles);
    return new ProviderChoice<>(List.of(), why);
  }

  /** Returns the choice among the providers with this name or class. */
  public ProviderChoice<T> only(String name) {
    return new ProviderChoice<>(
        candidates.stream().filter(one -> one.isCalled(name)).toList(), obstacles);
  }

  /** Returns the providers, the highest priority first. */
  public List<T> all() {
    return candidates.stream().map(Candidate::provider).toList();
  }

  /** Returns the names of the providers, the highest priority first. */
  public List<String> names() {
    return candidates.stream().map(Candidate::name).toList();
  }

  /**
   * Returns the provider to use. The first usable provider is returned by all later calls, too.
   * While none is usable, the first provider is returned. Null if there is no provider.
   */
  public @Nullable T get(Predicate<T> usable) {
    T before = chosen;
    if (before != null) {
      return before;
    }
    if (candidates.size() == 1) {
      return candidates.getFirst().provider(); // usable or not
    }
    for (Candidate<T> one : candidates) {
      if (usable.test(one.provider())) {
        chosen = one.provider();
        return one.provider();
      }
    }
    return candidates.isEmpty() ? null : candidates.getFirst().provider();
  }

  /** Returns the reasons why providers could not be loaded; empty if there are none. */
  public String whyNone() {
    return String.join("; ", obstacles);
  }
}
