package io.verbena.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The two libraries of rdma-core, and its drivers for devices. */
final class Libraries {
  /** The third number is the version of rdma-core: libibverbs.so.1.14.44.0 is from rdma-core 44. */
  private static final Pattern VERSION = Pattern.compile("\\.so\\.\\d+\\.\\d+\\.(\\d+)\\.");

  private static final String DRIVERS = "/etc/libibverbs.d";

  private final Host host;
  private final Predicate<String> loads;

  /**
   * Makes the check.
   *
   * @param loads returns whether the dynamic linker finds a soname, and maps the library if so
   */
  Libraries(Host host, Predicate<String> loads) {
    this.host = host;
    this.loads = loads;
  }

  Section section() {
    List<Finding> findings = new ArrayList<>();
    try {
      findings.add(library("libibverbs.so.1", "libibverbs1", "libibverbs"));
      findings.add(library("librdmacm.so.1", "librdmacm1", "librdmacm"));
    } catch (IllegalCallerException e) {
      findings.add(
          Finding.missing(
              "native access",
              "this JVM denies it, but verbs need it",
              "start the JVM with --enable-native-access=ALL-UNNAMED"));
    }
    findings.add(drivers());
    return new Section("Libraries", findings);
  }

  private Finding library(String soname, String debian, String fedora) {
    if (!loads.test(soname)) {
      return Finding.missing(
          soname, "cannot be loaded", "apt-get install " + debian + ", or dnf install " + fedora);
    }
    String detail =
        mappedFrom(soname).map(file -> version(file) + " (" + file + ")").orElse("loaded");
    return Finding.ok(soname, detail);
  }

  /** Returns the mapped file of a library. Its name has the whole version, unlike the soname. */
  private Optional<String> mappedFrom(String soname) {
    return host.lines("/proc/self/maps").stream()
        .filter(line -> line.contains("/" + soname))
        .map(line -> line.substring(line.indexOf('/')))
        .findFirst();
  }

  private static String version(String file) {
    Matcher matcher = VERSION.matcher(file);
    return matcher.find() ? "rdma-core " + matcher.group(1) : "of unknown version";
  }

  private Finding drivers() {
    List<String> names =
        host.names(DRIVERS).stream()
            .filter(name -> name.endsWith(".driver"))
            .map(name -> name.substring(0, name.length() - ".driver".length()))
            .toList();
    return names.isEmpty()
        ? Finding.missing(
            "device libraries",
            "none in " + DRIVERS + ", and libibverbs finds no device without them",
            "apt-get install ibverbs-providers, or dnf install rdma-core")
        : Finding.ok("device libraries", String.join(", ", names));
  }
}
