package io.verbena.grpc;

import io.grpc.internal.GrpcUtil;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The versions of gRPC that the transport is built for. It uses interfaces of gRPC that may change
 * in any version.
 */
final class GrpcVersion {
  private static final Pattern NUMBERS = Pattern.compile("(\\d+)\\.(\\d+).*");
  private static final int MAJOR = 1;
  private static final int OLDEST = 79;
  private static final int NEWEST = 85;

  /** Checked once: the text is the same for the life of the process. */
  private static final String PROBLEM =
      problem(GrpcUtil.getGrpcBuildVersion().getImplementationVersion());

  private GrpcVersion() {}

  /**
   * Checks that this process has a version that the transport works with.
   *
   * @throws IllegalStateException if not
   */
  static void check() {
    if (!PROBLEM.isEmpty()) {
      throw new IllegalStateException(PROBLEM);
    }
  }

  /** Returns the reason why a version is not supported; empty if it is. */
  static String problem(String version) {
    Matcher numbers = NUMBERS.matcher(version);
    if (!numbers.matches()) {
      return ""; // a build of the user's own, who knows best
    }
    int major = Integer.parseInt(numbers.group(1));
    int minor = Integer.parseInt(numbers.group(2));
    return major == MAJOR && minor >= OLDEST && minor <= NEWEST
        ? ""
        : "verbena-grpc works with grpc-java 1.%d to 1.%d, and this process has %s: import io.grpc:grpc-bom of one of them, or another version of verbena-grpc"
            .formatted(OLDEST, NEWEST, version);
  }
}
