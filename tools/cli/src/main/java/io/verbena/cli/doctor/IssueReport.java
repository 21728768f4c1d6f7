package io.verbena.cli.doctor;

import com.ibm.disni.verbs.IbvContext;
import io.verbena.cli.Version;
import io.verbena.rdma.RdmaFailureText;
import io.verbena.rdma.RdmaSettings;
import io.verbena.verbs.ext.DeviceAttributes;
import io.verbena.verbs.ext.PortAttributes;
import io.verbena.verbs.ext.VerbsContext;
import io.verbena.verbs.ext.VerbsProvider;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * Everything that an issue about RDMA on a host needs, as one file: the findings of doctor, the
 * versions, and the attributes of each device. It has addresses and names of devices of the host,
 * and no variable, token, key, or content of a file of the user's.
 */
final class IssueReport {
  private final Host host;
  private final VerbsProvider verbs;
  private final RdmaSettings settings;

  IssueReport(Host host, VerbsProvider verbs, RdmaSettings settings) {
    this.host = host;
    this.verbs = verbs;
    this.settings = settings;
  }

  /** Refuses a file that {@link #write} could not make, before minutes of trials. */
  static void check(Path file) throws IOException {
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException(file + " exists; name a file that does not");
    }
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw new IOException(
          "no folder " + folder + " for the report; make it, or name a file in another one");
    }
    if (!Files.isWritable(folder)) {
      throw new IOException(folder + " is not writable; name a file in another folder");
    }
  }

  /** Writes the report. The file must not exist. */
  void write(Path file, List<Section> sections, String prospect) throws IOException {
    try (PrintWriter out =
        new PrintWriter(Files.newBufferedWriter(file, StandardOpenOption.CREATE_NEW))) {
      out.println("Report of 'verbena doctor', for an issue. It has addresses of the host, and no");
      out.println("variable, token or key. Look through it before you publish it.");
      out.println();
      versions(out);
      for (Section section : sections) {
        section.print(out);
        out.println();
      }
      out.println(prospect);
      out.println();
      devices(out);
      out.println(settings);
      if (out.checkError()) {
        throw new IOException(file + " could not be written");
      }
    }
  }

  private void versions(PrintWriter out) {
    out.println("Versions");
    out.println("  " + String.join(" ", new Version().getVersion()));
    out.println("  JDK " + Runtime.version() + ", " + System.getProperty("java.vm.name"));
    out.println("  " + host.text("/proc/version").orElse("kernel unknown"));
    host.lines("/etc/os-release").stream()
        .filter(line -> line.startsWith("PRETTY_NAME="))
        .forEach(line -> out.println("  " + line));
    out.println();
  }

  private void devices(PrintWriter out) {
    out.println("Attributes");
    try {
      for (IbvContext context : verbs.devices()) {
        VerbsContext device = VerbsContext.of(context);
        DeviceAttributes attributes = device.queryDevice();
        out.println("  driver " + device.driver());
        out.println("  " + attributes);
        for (int port = 1; port <= attributes.ports(); port++) {
          PortAttributes state = device.queryPort(port);
          out.println("  port " + port + ": " + state);
        }
      }
    } catch (Throwable thrown) { // every exception of a provider is a finding
      out.println("  " + RdmaFailureText.of(thrown));
    }
    out.println();
  }
}
