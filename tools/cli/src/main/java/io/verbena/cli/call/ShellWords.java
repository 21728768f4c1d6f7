package io.verbena.cli.call;

import java.util.LinkedHashMap;
import java.util.Map;

/** Rewrites messages for programmers, which name settings of a program, to name options instead. */
final class ShellWords {
  private static final Map<String, String> OPTIONS = options();

  private ShellWords() {}

  private static Map<String, String> options() {
    Map<String, String> options = new LinkedHashMap<>(); // the order matters
    options.put(
        "add its issuer to the trust store of this end's SSLContext"
            + "|have this end trust its issuer, by TlsFiles\\S* or TlsFiles\\.identity\\S*trusting\\(…\\)",
        "name its issuer's certificate with --tls-ca");
    options.put(
        "give this end's SSLContext one|give this end one by TlsFiles\\.identity\\(…\\)",
        "give one with --tls-cert and --tls-key");
    options.put(
        "(it does not trust this end's certificate)", "$1, which --tls-cert and --tls-key name");
    options.put("more time by connectTimeout", "more time with --timeout");
    options.put(
        "(this end does not): give both ends TLS options, or neither",
        "$1: name its issuer's certificate with --tls-ca");
    options.put("give both ends TLS options, or neither", "leave --tls-ca and --tls-cert away");
    options.put(
        "(closed the connection during the TLS handshake: it may not speak TLS)",
        "$1 (leave --tls-ca and --tls-cert away then)");
    // The internal call for the next items is not a call of the user.
    options.put(
        "(the stream of (\\S+) failed: )verbena\\.streams/(?:next|end) of \\2 (?:failed|was answered)[^:]*: (?:[A-Z_]+: )?",
        "$1");
    return options;
  }

  /** Returns a message that names the options of the command. */
  static String of(String message) {
    String words = message;
    for (Map.Entry<String, String> option : OPTIONS.entrySet()) {
      words = words.replaceAll(option.getKey(), option.getValue());
    }
    return words;
  }
}
