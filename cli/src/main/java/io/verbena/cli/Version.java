package io.verbena.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import picocli.CommandLine.IVersionProvider;

/** What {@code --version} prints: Verbena's version, as the build wrote it down. */
public final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {"verbena " + written(Version.class, "version.properties").get("verbena")};
  }

  /**
   * Returns the versions that the build wrote down, by name.
   *
   * @param reader the class beside which the file is
   * @param file its name; from the root of the jar where it begins with a slash
   */
  public static Map<String, String> written(Class<?> reader, String file) {
    Properties properties = new Properties();
    try (InputStream in = reader.getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalStateException(file + " is not in the jar");
      }
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Map<String, String> versions = new TreeMap<>();
    properties.forEach((name, version) -> versions.put((String) name, (String) version));
    return versions;
  }
}
