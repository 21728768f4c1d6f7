package io.verbena.cli.doctor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A machine's files, as many as a test needs, below a directory of its own. */
final class FakeHost {
  static final String RELEASE = "6.1.0-42-amd64";

  private final Host host;

  FakeHost(Path root) {
    host = new Host(root);
    file("/proc/sys/kernel/osrelease", RELEASE);
  }

  Host files() {
    return host;
  }

  FakeHost file(String name, String... lines) {
    try {
      Path path = host.path(name);
      Files.createDirectories(path.getParent());
      Files.writeString(path, String.join("\n", lines) + "\n");
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  FakeHost loaded(String... modules) {
    for (String module : modules) {
      file("/sys/module/" + module + "/refcnt", "1");
    }
    return this;
  }

  FakeHost onDisk(String index, String... files) {
    return file("/lib/modules/" + RELEASE + "/" + index, files);
  }

  /** The section's finding of that name; fails where there is not just one. */
  static Finding in(Section section, String what) {
    return section.findings().stream()
        .filter(finding -> finding.what().equals(what))
        .reduce(
            (one, another) -> {
              throw new AssertionError("two findings of " + what + " in " + section);
            })
        .orElseThrow(() -> new AssertionError("no finding of " + what + " in " + section));
  }
}
