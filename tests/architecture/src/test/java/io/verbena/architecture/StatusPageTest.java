package io.verbena.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallPhase;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.testkit.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page of status codes says what the enum says, and whether to retry as the code does. */
class StatusPageTest {
  private static final Path PAGE = Root.resolve("docs/reference/status-codes.md");
  private static final Path CODE =
      Root.resolve("rpc-api/src/main/java/io/verbena/api/RpcStatus.java");
  private static final Pattern CONSTANT =
      Pattern.compile("/\\*\\*((?:(?!\\*/).)*)\\*/\\s+([A-Z_]+)\\((\\d+),", Pattern.DOTALL);

  @Test
  void eachStatusIsThereInItsOrderWithItsMeaningAndItsRetryRule() throws IOException {
    List<String> rows = new ArrayList<>();
    for (MatchResult constant : CONSTANT.matcher(Files.readString(CODE)).results().toList()) {
      RpcStatus status = RpcStatus.valueOf(constant.group(2));
      String meaning = constant.group(1).replaceAll("\\s*\\n\\s*\\*?\\s*", " ").strip();
      rows.add("| `%s` | %d | %s | %s |".formatted(status, status.code(), meaning, retry(status)));
    }
    assertThat(rows).hasSameSizeAs(RpcStatus.values());
    List<String> page = Files.readAllLines(PAGE);
    int from = page.indexOf("<!-- statuses -->") + 3; // the table's head
    assertThat(page.subList(from, page.size()).stream().takeWhile(line -> !line.isEmpty()))
        .containsExactlyElementsOf(rows);
  }

  @Test
  void eachSaysWhoSendsItAndWhatToDo() throws IOException {
    var named = new LinkedHashSet<String>();
    Files.readAllLines(PAGE).stream()
        .dropWhile(line -> !line.startsWith("## Who"))
        .filter(line -> line.startsWith("| `"))
        .forEach(line -> named.add(line.substring(3, line.indexOf('`', 3))));
    assertThat(named)
        .containsExactlyElementsOf(Arrays.stream(RpcStatus.values()).map(Enum::name).toList());
  }

  private static String retry(RpcStatus status) {
    boolean never = !mayRetry(status, Execution.EXECUTED, true);
    boolean onlyIdempotent = !mayRetry(status, Execution.UNKNOWN, false);
    assertThat(never && onlyIdempotent).as("what is below the table").isTrue();
    boolean safe = mayRetry(status, Execution.NOT_EXECUTED, false);
    assertThat(mayRetry(status, Execution.UNKNOWN, true)).isEqualTo(safe);
    return safe ? "if safe" : "no";
  }

  private static boolean mayRetry(RpcStatus status, Execution execution, boolean idempotent) {
    return new RpcException(status, "words", CallPhase.REPLIED, execution, idempotent, null, null)
        .mayRetry();
  }
}
