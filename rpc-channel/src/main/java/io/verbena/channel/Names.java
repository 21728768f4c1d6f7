package io.verbena.channel;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Maps logical names to targets: code says {@code verbena:///store}, and the deployment says where
 * that is. Entries are {@code name=target}, separated by {@code ;} or a new line. A {@code *} in a
 * target stands for the name. The entry of the name {@code *} is used for names that have no entry.
 *
 * @param from the setting that has the entries, for messages
 * @param targets by name
 */
record Names(String from, Map<String, String> targets) {
  static final String SCHEME = "verbena";
  static final String PROPERTY = "verbena.names";
  static final String VARIABLE = "VERBENA_NAMES";

  private static final String OTHERS = "*";
  private static final String EXAMPLE = "store=dns:///store.example:7400";

  /** Makes resolvers for {@code verbena:///name}. */
  public static final class Provider implements ResolverProvider {
    private final UnaryOperator<@Nullable String> environment;

    /** Called by {@link java.util.ServiceLoader}. */
    public Provider() {
      this(System::getenv);
    }

    Provider(UnaryOperator<@Nullable String> environment) {
      this.environment = environment;
    }

    @Override
    public String scheme() {
      return SCHEME;
    }

    @Override
    public Resolver resolver(URI target, ChannelTime time) {
      String path = target.getPath();
      if (target.getRawAuthority() != null || path == null || path.length() < 2) {
        throw new IllegalArgumentException(
            "'" + target + "' has no name: write verbena:///store, with three slashes");
      }
      return Targets.resolver(set(environment).target(path.substring(1)), time);
    }
  }

  /** Reads the property, or else the variable, anew each time. */
  static Names set(UnaryOperator<@Nullable String> environment) {
    String property = System.getProperty(PROPERTY);
    if (property != null) {
      return parse("the system property " + PROPERTY, property);
    }
    String variable = environment.apply(VARIABLE);
    return parse("the environment variable " + VARIABLE, variable == null ? "" : variable);
  }

  static Names parse(String from, String entries) {
    Map<String, String> targets = new LinkedHashMap<>();
    for (String line : entries.split("[;\\n\\r]", -1)) {
      String entry = line.strip();
      int equals = entry.indexOf('=');
      String name = equals < 0 ? "" : entry.substring(0, equals).strip();
      String target = entry.substring(equals + 1).strip();
      if (entry.isEmpty()) {
        continue;
      }
      if (name.isEmpty() || target.isEmpty()) {
        throw new IllegalArgumentException(
            "'%s' in %s is no name with its target: write %s, and ';' between two"
                .formatted(entry, from, EXAMPLE));
      }
      if (targets.put(name, target) != null) {
        throw new IllegalArgumentException(
            "'%s' is set twice in %s: remove one".formatted(name, from));
      }
    }
    return new Names(from, Map.copyOf(targets));
  }

  /** Returns the target of a name. */
  URI target(String name) {
    String found = targets.getOrDefault(name, targets.get(OTHERS));
    if (found == null) {
      throw new IllegalArgumentException(
          "no setting says where '%s' is: %s; set the system property %s or the environment variable %s to entries such as %s"
              .formatted(name, known(), PROPERTY, VARIABLE, EXAMPLE.replace("store", name)));
    }
    String where = "the target of '%s' in %s, '%s',".formatted(name, from, found);
    URI target;
    try {
      target = Targets.parse(found.replace(OTHERS, name));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          where + " is malformed: write an entry such as " + EXAMPLE, e);
    }
    if (Targets.scheme(target).equals(SCHEME)) {
      throw new IllegalArgumentException(
          where + " is another name: write an entry such as " + EXAMPLE);
    }
    return target;
  }

  private String known() {
    return targets.isEmpty()
        ? "neither setting has entries"
        : from + " has " + targets.keySet().stream().sorted().toList();
  }
}
