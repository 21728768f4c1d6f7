package io.verbena.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import picocli.CommandLine.IVersionProvider;

/** The text that {@code --version} prints. The build wrote the version into a file. */
public final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {"verbena " + written(Version.class, "version.properties").get("verbena")};
  }

  /**
   * Reads a file of versions that the build wrote.
   *
   * @param reader a class in the same package as the file
   * @param file the file's name. A name with a leading slash starts at the root of the jar
   * @return the versions by name
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
