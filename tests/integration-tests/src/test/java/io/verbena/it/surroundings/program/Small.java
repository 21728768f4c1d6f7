package io.verbena.it.surroundings.program;

import io.verbena.api.CallOptions;
import io.verbena.api.Session;
import io.verbena.channel.BalancedChannel;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Serves, calls, or both: {@code Small [on-common-pool | blind] serve | call TARGET | both}. Where
 * something fails it prints what its user would read, and ends with status 1.
 */
public final class Small {
  private static final int CALLS = 20;

  private Small() {}

  /** Ends with status 0 if every call succeeded. */
  public static void main(String[] words) throws Exception {
    try {
      switch (words[0]) {
        case "on-common-pool" -> onCommonPool(rest(words));
        case "blind" -> blind(rest(words));
        default -> run(words);
      }
    } catch (Throwable thrown) {
      for (Throwable at = thrown; at != null; at = at.getCause()) {
        System.out.println("failed: " + at);
      }
      System.exit(1);
    }
  }

  private static String[] rest(String[] words) {
    return List.of(words).subList(1, words.length).toArray(String[]::new);
  }

  private static void onCommonPool(String[] words) throws Exception {
    CompletableFuture.runAsync(() -> runUnchecked(words)).get();
  }

  private static void blind(String[] words) throws Exception {
    try (URLClassLoader nothing = new URLClassLoader(new URL[0], null)) {
      Thread.currentThread().setContextClassLoader(nothing);
      run(words);
    }
  }

  private static void runUnchecked(String[] words) {
    try {
      run(words);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void run(String[] words) throws IOException {
    switch (words[0]) {
      case "serve" -> {
        try (VerbenaServer server = server()) {
          System.out.println(server.address());
          while (System.in.read() != -1) {
            // Only its end says something.
          }
        }
      }
      case "call" -> call(words[1]);
      case "both" -> {
        try (VerbenaServer server = server()) {
          call("static:" + server.address());
        }
      }
      default -> throw new IllegalArgumentException(words[0]);
    }
  }

  private static VerbenaServer server() {
    Echo echo =
        new Echo() {
          @Override
          public Said say(String word) {
            return new Said(word, ProcessHandle.current().pid());
          }

          @Override
          public int burn(int millis) {
            long end = System.nanoTime() + millis * 1_000_000L;
            int turns = 0;
            while (System.nanoTime() < end) {
              turns++;
            }
            return turns;
          }
        };
    return VerbenaServer.builder().listen("127.0.0.1:0").serve(EchoRpc.bind(echo)).start();
  }

  /** Calls through a channel where the target is one, else through a session. */
  private static void call(String target) {
    try (VerbenaClient client = VerbenaClient.builder().build()) {
      if (target.startsWith("static:")) {
        try (BalancedChannel channel = BalancedChannel.builder(client, target).build()) {
          say(EchoRpc.client(channel, CallOptions.DEFAULT), "a channel");
        }
      } else {
        try (Session session = client.connect(target)) {
          say(EchoRpc.client(session), session.path().toString());
        }
      }
    }
  }

  private static void say(Echo echo, String how) {
    for (int i = 0; i < CALLS; i++) {
      String word = "word " + i;
      Echo.Said said = echo.say(word);
      if (!said.word().equals(word)) {
        throw new IllegalStateException(said + " for " + word);
      }
    }
    System.out.println(CALLS + " calls, by " + how);
  }
}
