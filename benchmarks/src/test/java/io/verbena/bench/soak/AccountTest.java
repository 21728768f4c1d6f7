package io.verbena.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Execution;
import io.verbena.bench.soak.Account.Kind;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The account of a soak")
final class AccountTest {
  @TempDir private Path folder;
  private final Account account = new Account();
  private Executions executions;

  @SuppressWarnings("NullAway.Init") // by open
  AccountTest() {}

  @BeforeEach
  void open() throws IOException {
    executions = new Executions(folder.resolve("executions"));
  }

  @AfterEach
  void close() {
    executions.close();
  }

  private long call(Kind kind, int executed) {
    long number = account.begin(kind);
    for (int i = 0; i < executed; i++) {
      executions.executed(number);
    }
    return number;
  }

  @ParameterizedTest
  @CsvSource({"ENTER, 1", "ECHO, 1", "LOOK, 1", "LOOK, 2", "NOTE, 1"})
  void takesWhatMayBe(Kind kind, int executed) {
    account.succeeded(call(kind, executed));
    assertThat(account.judge(executions, 0)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"ENTER, 0", "ENTER, 2", "ECHO, 2", "LOOK, 0", "NOTE, 2"})
  void findsWhatWasLostOrDoubled(Kind kind, int executed) {
    account.succeeded(call(kind, executed));
    assertThat(account.judge(executions, 0))
        .singleElement()
        .asString()
        .contains(kind + " ", "was executed " + executed + " times", "it returned");
  }

  @ParameterizedTest
  @CsvSource({
    "NOT_EXECUTED, 0, true",
    "NOT_EXECUTED, 1, false",
    "EXECUTED, 1, true",
    "EXECUTED, 0, false",
    "UNKNOWN, 0, true",
    "UNKNOWN, 1, true",
    "UNKNOWN, 2, false"
  })
  void comparesWhatTheCallerWasTold(Execution told, int executed, boolean fits) {
    account.failed(call(Kind.ENTER, executed), told);
    assertThat(account.judge(executions, 0).isEmpty()).isEqualTo(fits);
  }

  @Test
  void findsOneWayCallsThatAreLostWithoutAWord() {
    account.succeeded(call(Kind.NOTE, 0));
    assertThat(account.judge(executions, 1)).isEmpty();
    assertThat(account.judge(executions, 0)).singleElement().asString().contains("were not");
  }

  @Test
  void findsWhatHangs() {
    call(Kind.ENTER, 0);
    account.transferBegins("fetch 1");
    assertThat(account.isIdle()).isFalse();
    assertThat(account.judge(executions, 0))
        .containsExactlyInAnyOrder(
            "1 calls hang, as that of number 0", "a transfer hangs: fetch 1");
  }
}
