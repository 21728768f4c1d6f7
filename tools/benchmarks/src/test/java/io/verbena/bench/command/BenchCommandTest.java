package io.verbena.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.bench.Main;
import io.verbena.bench.report.Json;
import io.verbena.bench.rival.RivalServers;
import io.verbena.bench.usage.Versions;
import io.verbena.bench.verbena.BenchHost;
import io.verbena.bench.verbena.Idling;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The command as a user runs it, with turns that are too short to say anything. */
class BenchCommandTest {
  private static final RivalServers RIVALS = new RivalServers("127.0.0.1", false);
  private static final BenchHost HOST =
      BenchHost.start("127.0.0.1:0", Idling.AS_IT_COMES, Duration.ZERO, 0, RIVALS::port);

  @AfterAll
  static void close() {
    HOST.close();
    RIVALS.close();
  }

  private record Run(int exit, String out, String err) {}

  private static Run bench(String arguments) {
    List<String> words = new ArrayList<>(List.of(arguments.split(" ")));
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exit =
        Main.commandLine()
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(words.toArray(new String[0]));
    return new Run(exit, out.toString(), err.toString());
  }

  private static Run client(String arguments) {
    return bench("client 127.0.0.1:" + HOST.port() + " " + arguments);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-w call -o 4 -q 2 --callers virtual --handler virtual",
        "-w push -s 64k",
        "-w oneway --callers virtual",
        "-w fetch -s 200k -o 2",
        "-w put -s 20k --memory cold --extra-copy",
        "-w connect",
        "-w call -r 1000 -o 8"
      })
  void measuresEveryKindOfCall(String workload) {
    Run run = client("-p tcp --validate -n 40 --rounds 2 --warmup 0 " + workload);
    assertThat(run.err()).isEmpty();
    assertThat(run.exit()).isZero();
    assertThat(run.out()).contains("verbena tcp", "calls/s", "whole round trip", "allocated bytes");
  }

  @ParameterizedTest
  @Tag("long")
  @ValueSource(
      strings = {
        "-w call -o 16",
        "-w pull -s 64k --handler virtual",
        "-w put -s 200k -o 2",
        "-w fetch -s 200k --memory file",
        "-w put -s 200k -o 2 --memory files",
        "-w fetch -s 200k --memory files",
        "-w mixed -s 200k -o 2"
      })
  void measuresEveryKindOfMemory(String workload) {
    measuresEveryKindOfCall(workload);
  }

  @Test
  @Tag("long")
  void measuresBetweenTwoProcessesOfThisHost() {
    Run run = bench("local -p tcp,mem --rivals perftest --validate -n 200 --rounds 2 --warmup 0");
    assertThat(run.err()).isEmpty();
    assertThat(run.exit()).isZero();
    assertThat(run.out()).contains("verbena tcp", "verbena mem", "perftest");
  }

  @Test
  @Tag("long")
  void hasRivalsTakeTurnsUnderTheSameLoad() {
    for (String load :
        List.of("-w call -o 8", "-w push -s 100k -o 2", "-w pull -s 100k", "-w put -s 100k -o 4")) {
      Run run = client("-p tcp --rivals -n 40 --rounds 1 --warmup 0 --validate " + load);
      assertThat(run.err()).isEmpty();
      assertThat(run.out()).contains("verbena tcp", "raw nio", "raw netty", "grpc ", "grpc tuned");
    }
    for (String load : List.of("-w put -s 100k -o 2", "-w fetch -s 100k")) {
      Run run = client("-p tcp --rivals --memory files -n 20 --rounds 1 --warmup 0 " + load);
      assertThat(run.err()).isEmpty();
      assertThat(run.out())
          .contains("verbena tcp", "raw sendfile")
          .contains("not available: raw nio: it does not support this load");
    }
  }

  @Test
  void sweepsTheDepth() {
    Run run = client("-p tcp --sweep depth -n 300 --rounds 1 --warmup 0");
    assertThat(run.out()).contains("64 B x1,", "64 B x4,", "64 B x16,", "64 B x64,", "64 B x256,");
  }

  @ParameterizedTest
  @ValueSource(strings = {"-a", "--sweep size"})
  @Tag("long")
  void sweepsTheSizeAndWritesAllOfItIntoEveryFile(String sizes, @TempDir Path folder)
      throws IOException {
    Path json = folder.resolve("bench.json");
    Path html = folder.resolve("bench.html");
    Path hdr = folder.resolve("bench.hlog");
    Run run =
        client(
            "-p tcp -n 20 --rounds 1 --warmup 0 %s --json %s --html %s --hdr %s"
                .formatted(sizes, json, html, hdr));
    assertThat(run.err())
        .isEqualToIgnoringNewLines(
            "--rounds 1 is too few for 'bench compare', which needs 4 or more on each side.");
    assertThat(run.exit()).isZero();
    assertThat(run.out()).contains("64 B x1,", "4 KiB x1,", "1 MiB x1,");
    assertThat(Json.read(json).results())
        .extracting(result -> result.load().size())
        .containsExactly(64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20);
    assertThat(Files.readString(html))
        .contains("Throughput by message size", "<svg", "1 MiB x1", "--json " + json);
    assertThat(Files.readString(hdr)).contains("Tag=verbena-tcp/call-64-B-x1", "1-MiB-x1");
  }

  @Tag("long")
  @Test
  void tellsWhatWasMovedBesideSmallCallsByEachRound(@TempDir Path folder) throws IOException {
    Path json = folder.resolve("bench.json");
    Run run = client("-p tcp -w mixed -s 100k -D 0.3 --rounds 2 --warmup 0 --json " + json);
    assertThat(run.err()).startsWith("--rounds 2 is too few");
    assertThat(run.out()).containsPattern("beside it \\d+\\.\\d+ GB/s");
    assertThat(Json.read(json).results().getFirst().rounds())
        .allMatch(round -> round.besideGigabytesPerSecond() > 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-V", "local --version", "compare -V"})
  void tellsItsVersion(String words) {
    Run run = bench(words);
    assertThat(run.exit()).isZero();
    assertThat(run.out()).contains("verbena bench " + Versions.verbena());
  }

  @Test
  void tellsHowToRunItAgainInWordsThatAShellReadsAlike(@TempDir Path folder) throws IOException {
    Path json = folder.resolve("it's mine.json");
    String server = "127.0.0.1:" + HOST.port();
    int exit =
        Main.commandLine()
            .setOut(new PrintWriter(new StringWriter()))
            .execute(
                "client", server, "-ptcp", "-n9", "--rounds=1", "--warmup=0", "--json", "" + json);
    assertThat(exit).isZero();
    assertThat(Json.read(json).command())
        .startsWith("./verbena bench client 127.0.0.1:")
        .endsWith("--json '" + json.toString().replace("'", "'\\''") + "'");
  }

  @Test
  void refusesOneFileForTwoKinds(@TempDir Path folder) {
    Path file = folder.resolve("bench");
    Run run = client("-p tcp -n 9 --rounds 1 --warmup 0 --json " + file + " --html " + file);
    assertThat(run.exit()).isEqualTo(1);
    assertThat(run.err()).contains("need different files");
    assertThat(run.out()).isEmpty();
  }

  @Test
  void saysWhyAPathIsNotThere() {
    Run run = bench("client 127.0.0.1:1 -n 10");
    assertThat(run.exit()).isEqualTo(1);
    assertThat(run.err()).contains("127.0.0.1:1");
  }

  @Test
  void saysWhoCannotTakePartAgainstAnotherHost() {
    Run run = client("-p tcp,mem --rivals perftest -n 40 --rounds 1 --warmup 0");
    assertThat(run.exit()).isZero();
    assertThat(run.out()).contains("not available: verbena mem: ", "not available: perftest: ");
  }

  @Test
  void takesTheOptionsOfItsOwnSideAlone() {
    assertThat(client("--handler-delay=5").err()).contains("Unknown option: '--handler-delay");
    assertThat(client("--rivals-poll").err()).contains("Unknown option: '--rivals-poll'");
    assertThat(bench("server --extra-copy").err()).contains("Unknown option: '--extra-copy'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"::1", "[::1]", "[::1]:7410"})
  void takesAnIpv6AddressWithAndWithoutAPort(String server) {
    Run run = bench("client " + server + " -p tcp -n 10 --rounds 1 --warmup 0");
    assertThat(run.exit()).isEqualTo(1);
    assertThat(run.err()).contains("[::1]:7410");
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      textBlock =
          """
          -s many, "'many' is not a size"
          -s 2g, "'2g' is not a size"
          -s 4,               --size must be at least 8
          -o 0, "'0' is not a whole number from 1 on"
          -q 0, "'0' is not a whole number from 1 on"
          -n 0, "'0' is not a whole number from 1 on"
          --rounds 0, "'0' is not a whole number from 1 on"
          -D 0, "'0' is not a time in seconds"
          -D NaN, "'NaN' is not a time in seconds"
          -D 1e300, "'1e300' is not a time in seconds"
          --warmup=-1, "'-1' is not a time in seconds"
          -r=-5, "'-5' is not a rate"
          --spin=-4, "'-4' is not a number of microseconds"
          --handler-delay=-5, "'-5' is not a number of microseconds"
          -a --sweep depth,   use one of them
          -w call --memory cold, --memory needs large objects
          --rivals=foo,       GRPC_TUNED
          --rivals foo, "--rivals accepts a list of nio,netty,grpc"
          """)
  void refusesAValueThatMakesNoRun(String options, String words) {
    Run run = bench("local " + options);
    assertThat(run.err()).contains(words);
    assertThat(run.exit()).isEqualTo(2);
  }

  @Test
  void findsBeforeTheRunThatAFileCannotBeWritten(@TempDir Path folder) throws IOException {
    Path kept = Files.writeString(folder.resolve("kept.json"), "as it was");
    Path lost = folder.resolve("missing").resolve("bench.html");
    Run run = client("-p tcp -n 10 --rounds 1 --warmup 0 --json " + kept + " --html " + lost);
    assertThat(run.exit()).isEqualTo(1);
    assertThat(run.out()).as("nothing was measured").isEmpty();
    assertThat(run.err()).contains("cannot write " + lost + ": no such folder");
    assertThat(kept).hasContent("as it was");
    assertThat(client("-p tcp -n 10 --rounds 1 --warmup 0 --json " + folder).err())
        .contains("cannot write " + folder);
  }

  @Tag("long")
  @Test
  @EnabledOnOs(OS.LINUX)
  void saysWhichFileFoundNoSpaceAndWritesTheOthers(@TempDir Path folder) throws IOException {
    for (String full : List.of("json", "html", "hdr")) {
      String other = full.equals("json") ? "html" : "json";
      Path file = folder.resolve("with-full-" + full);
      Run run =
          client(
              "-p tcp -n 10 --rounds 1 --warmup 0 --%s /dev/full --%s %s"
                  .formatted(full, other, file));
      assertThat(run.exit()).as(full).isEqualTo(1);
      assertThat(run.err()).contains("cannot write /dev/full: No space left");
      assertThat(run.out()).contains("verbena tcp");
      assertThat(file).isNotEmptyFile();
    }
  }

  @Test
  void saysWhichFileToCompareIsMissing() {
    assertThat(bench("compare /no/before.json /no/after.json").err())
        .contains("/no/before.json: no such file");
  }
}
