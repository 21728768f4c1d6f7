package io.verbena.spring.autoconfigure;

import io.verbena.channel.BalancedChannel;
import io.verbena.channel.Endpoint;
import io.verbena.channel.StaticResolver;
import io.verbena.core.VerbenaClient;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Where the servers of one client are: addresses as sessions have them, with commas between, or
 * what a channel's resolver knows.
 */
record Target(String text) {
  private static final Pattern ADDRESS =
      Pattern.compile("(?:tcp|mem)://[^,]+|(?:\\[[^\\]]+]|[^:/\\[\\],]+):\\d{1,5}");

  BalancedChannel.Builder channel(VerbenaClient client) {
    List<String> parts = Arrays.stream(text.split(",")).map(String::strip).toList();
    return parts.stream().allMatch(part -> ADDRESS.matcher(part).matches())
        ? BalancedChannel.builder(
            client, new StaticResolver(parts.stream().map(Endpoint::of).toList()))
        : BalancedChannel.builder(client, text);
  }
}
