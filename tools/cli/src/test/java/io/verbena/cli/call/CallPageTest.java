package io.verbena.cli.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testkit.Root;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The page on the command shows the command's real output. */
@Timeout(60)
class CallPageTest {
  private static final Path PAGE = Root.resolve("docs/how-to/call-from-the-shell.md");
  private static final Pattern BLOCK = Pattern.compile("```console\n(.*?)```", Pattern.DOTALL);

  /** A command, perhaps with something before a pipe, or with its exit status behind it. */
  private static final Pattern COMMAND =
      Pattern.compile(
          "(?:printf '(?<in>[^']*)' \\| )?\\./verbena call localhost:7400(?<words>.*?)(?<exit>;"
              + " echo \\$\\?)?");

  private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

  @Test
  void showsWhatTheCommandPrints() throws Exception {
    int commands = 0;
    try (ShopServer shop = ShopServer.ofThePage()) {
      Matcher blocks = BLOCK.matcher(Files.readString(PAGE));
      while (blocks.find()) {
        for (String shown : blocks.group(1).strip().split("(?m)^\\$ ", -1)) {
          if (!shown.isEmpty()) {
            int end = shown.indexOf('\n');
            String command = end < 0 ? shown : shown.substring(0, end);
            String printed = end < 0 ? "" : shown.substring(end).strip();
            assertThat(run(shop, command)).as(command).isEqualTo(printed);
            commands++;
          }
        }
      }
    }
    assertThat(commands).isGreaterThan(7);
  }

  private static String run(ShopServer shop, String line) {
    Matcher command = COMMAND.matcher(line);
    assertThat(command.matches()).as(line).isTrue();
    List<String> words = new ArrayList<>(List.of(shop.address()));
    Matcher each = WORD.matcher(command.group("words"));
    while (each.find()) {
      MatchResult word = each.toMatchResult();
      words.add(word.group(1) == null ? word.group(2) : word.group(1));
    }
    String in = command.group("in");
    Shell.Run run =
        Shell.callWith(in == null ? "" : in.replace("\\n", "\n"), words.toArray(String[]::new));
    String status = command.group("exit") == null ? "" : "" + run.exit();
    return (run.out() + run.err() + status).strip();
  }
}
