package io.verbena.spring.autoconfigure;

import io.verbena.channel.BalancedChannel;
import io.verbena.core.VerbenaClient;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The target of one client: addresses of sessions, separated by commas, or a target of a channel's
 * resolver.
 */
record Target(String text) {
  private static final Pattern ADDRESS =
      Pattern.compile("(?:tcp|mem)://[^,]+|(?:\\[[^\\]]+]|[^:/\\[\\],]+):\\d{1,5}");

  BalancedChannel.Builder channel(VerbenaClient client) {
    List<String> parts = Arrays.stream(text.split(",")).map(String::strip).toList();
    boolean addresses = parts.stream().allMatch(part -> ADDRESS.matcher(part).matches());
    return BalancedChannel.builder(client, addresses ? "static:" + String.join(",", parts) : text);
  }
}
