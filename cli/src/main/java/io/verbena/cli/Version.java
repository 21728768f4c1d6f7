package io.verbena.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** What {@code --version} prints: Verbena's version, as the build wrote it down. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() throws IOException {
    Properties written = new Properties();
    try (InputStream in = Version.class.getResourceAsStream("version.properties")) {
      if (in == null) {
        throw new IOException("version.properties is not in the jar");
      }
      written.load(in);
    }
    return new String[] {"verbena " + written.getProperty("verbena")};
  }
}
