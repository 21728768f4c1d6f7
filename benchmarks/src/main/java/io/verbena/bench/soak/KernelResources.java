package io.verbena.bench.soak;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What the kernel holds for users of verbs devices, as {@code rdma resource} tells. */
final class KernelResources {
  /**
   * Registrations of reused buffers are kept: a few more buffers may have been in use at a time.
   */
  private static final int MORE_REGISTRATIONS = 64;

  private static final Pattern REGISTRATIONS = Pattern.compile("\\bmr (\\d+)");

  private KernelResources() {}

  /** Returns whether all is as it was, but for registrations that are kept for the next use. */
  static boolean isFlat(String before, String after) {
    boolean same =
        REGISTRATIONS
            .matcher(after)
            .replaceAll("mr")
            .equals(REGISTRATIONS.matcher(before).replaceAll("mr"));
    return same && registrations(after) - registrations(before) <= MORE_REGISTRATIONS;
  }

  private static int registrations(String all) {
    return REGISTRATIONS
        .matcher(all)
        .results()
        .mapToInt(found -> Integer.parseInt(found.group(1)))
        .sum();
  }

  /**
   * Returns a line for each device, as {@code "rxe0: pd 2 cq 4 qp 9 cm_id 6 mr 5 ctx 2 srq 2"};
   * empty where there is no such tool, or no device.
   */
  static String read() throws InterruptedException {
    try {
      Process process =
          new ProcessBuilder("rdma", "resource")
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      try (BufferedReader out =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
        String all = out.lines().map(String::strip).collect(Collectors.joining("; "));
        process.waitFor();
        return all;
      }
    } catch (IOException e) {
      return "";
    }
  }
}
