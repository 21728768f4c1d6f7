package io.verbena.bench.soak;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;

/** What the kernel holds for users of verbs devices, as {@code rdma resource} tells. */
final class KernelResources {
  private KernelResources() {}

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
