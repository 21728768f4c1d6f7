package io.verbena.codec.json;

import io.verbena.api.settings.OneLine;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Short names of types, for people: without the package, unless two types of a set would get the
 * same name.
 */
public final class Labels {
  private static final Pattern NAME = Pattern.compile("[\\w.$]+");

  private final Set<String> ambiguous = new HashSet<>();

  /** Names of types that stand alone. */
  public static final Labels ALONE = new Labels(List.of());

  /** Names for a set of types. */
  public Labels(Collection<String> types) {
    Map<String, String> owners = new HashMap<>();
    for (String type : types) {
      Matcher names = NAME.matcher(type);
      while (names.find()) {
        String name = names.group();
        String other = owners.putIfAbsent(simple(name), name);
        if (other != null && !other.equals(name)) {
          ambiguous.add(simple(name));
        }
      }
    }
  }

  /** Returns the short name of a type. */
  public String of(String type) {
    String label =
        NAME.matcher(type)
            .replaceAll(
                found -> {
                  String simple = simple(found.group());
                  return Matcher.quoteReplacement(
                      ambiguous.contains(simple) ? found.group() : simple);
                });
    return shown(label.replace(",", ", "));
  }

  private static String simple(String name) {
    return name.substring(name.lastIndexOf('.') + 1);
  }

  /** Returns a peer's text without characters that a terminal takes for commands. */
  public static String shown(String words) {
    return OneLine.of(words);
  }
}
