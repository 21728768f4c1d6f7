package io.verbena.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The command where there is a device, as the laboratory or the host's own hardware. */
@Tag("lab")
class DoctorOnDeviceTest {
  private static String variable(String name) {
    String value = System.getenv(name);
    assertThat(value).as("%s, which 'lab/run-tests cli' sets", name).isNotBlank();
    return value;
  }

  @Test
  void findsTheDeviceItsPortAndItsAddress() {
    StringWriter out = new StringWriter();
    int exit = new CommandLine(new DoctorCommand()).setOut(new PrintWriter(out)).execute();
    List<String> lines = out.toString().lines().toList();
    String device = variable("LAB_DEVICE");
    assertThat(lines)
        .anyMatch(line -> line.matches("  ok +libibverbs.so.1 +rdma-core \\d+ \\(/.*"))
        .anyMatch(line -> line.matches("  ok +rdma_cm +readable and writable"))
        .anyMatch(line -> line.matches("  ok +" + device + " +InfiniBand verbs.*"))
        .anyMatch(line -> line.matches("  ok +" + device + " port 1 +active, .*MTU \\d+.*"))
        .anyMatch(
            line -> line.matches("  ok +GID \\d+ +" + variable("LAB_ADDRESS") + ", RoCE v2, .*"))
        .anyMatch(line -> line.matches("  ok +" + device + " +registered 2 MiB as a test"));
    assertThat(lines.getLast())
        .isEqualTo("path: rdma (" + device + "), if the other end has it too");
    assertThat(exit).isZero();
  }
}
