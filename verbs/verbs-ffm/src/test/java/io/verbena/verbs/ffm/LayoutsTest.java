package io.verbena.verbs.ffm;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.ext.Layouts;
import io.verbena.verbs.ffm.abi.CStruct;
import io.verbena.verbs.ffm.abi.CmLayouts;
import io.verbena.verbs.ffm.abi.VerbsLayouts;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LayoutsTest {
  private static final List<CStruct> ALL =
      Stream.of(VerbsLayouts.class, CmLayouts.class)
          .flatMap(layouts -> Arrays.stream(layouts.getFields()))
          .map(LayoutsTest::layout)
          .toList();

  /** The C libraries of aarch64 differ, and with them the rest of {@code ibv_context}. */
  @Test
  void theMutexIsThatOfTheCLibrary() {
    assertThat(VerbsLayouts.mutexBytes("amd64", true)).isEqualTo(40);
    assertThat(VerbsLayouts.mutexBytes("amd64", false)).isEqualTo(40);
    assertThat(VerbsLayouts.mutexBytes("aarch64", true)).isEqualTo(48);
    assertThat(VerbsLayouts.mutexBytes("aarch64", false)).isEqualTo(40);
  }

  private static CStruct layout(Field constant) {
    try {
      return (CStruct) constant.get(null);
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }

  /** A C program that prints "struct NAME" and "struct.member OFFSET" lines. */
  private static String program() {
    StringBuilder c =
        new StringBuilder(
            """
            #include <stddef.h>
            #include <stdio.h>
            #include <infiniband/verbs.h>
            #include <rdma/rdma_cma.h>
            int main(void) {
            """);
    for (CStruct struct : ALL) {
      String name = struct.name();
      if (struct.complete()) {
        c.append("printf(\"%s %%zu\\n\", sizeof(struct %s));\n".formatted(name, name));
      }
      for (String member : struct.members().keySet()) {
        c.append(
            "printf(\"%s.%s %%zu\\n\", offsetof(struct %s, %s));\n"
                .formatted(name, member, name, member));
      }
    }
    return c.append("return 0; }\n").toString();
  }

  private static Map<String, Integer> ours() {
    Map<String, Integer> ours = new TreeMap<>();
    for (CStruct struct : ALL) {
      if (struct.complete()) {
        ours.put(struct.name(), struct.size());
      }
      struct.members().forEach((member, at) -> ours.put(struct.name() + "." + member, at));
    }
    return ours;
  }

  private static String run(Path directory, String... command)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as("%s: %s", List.of(command), output).isZero();
    return output;
  }

  @Test
  @Tag("lab") // which has a C compiler and the headers
  void areWhatTheCompilerMakesOfTheHeaders(@TempDir Path directory) throws Exception {
    Files.writeString(directory.resolve("layouts.c"), program());
    run(directory, "gcc", "-w", "-o", "layouts", "layouts.c");
    Map<String, Integer> headers = new TreeMap<>();
    run(directory, directory.resolve("layouts").toString())
        .lines()
        .map(line -> line.split(" "))
        .forEach(words -> headers.put(words[0], Integer.valueOf(words[1])));

    assertThat(headers).hasSizeGreaterThan(200);
    assertThat(ours()).containsExactlyEntriesOf(headers);
  }

  @Test
  void areThoseOfTheBlocksThatApplicationsFill() {
    assertThat(VerbsLayouts.SEND_WR.size()).isEqualTo(Layouts.SEND_WR_SIZE);
    assertThat(VerbsLayouts.RECV_WR.size()).isEqualTo(Layouts.RECV_WR_SIZE);
    assertThat(VerbsLayouts.SGE.size()).isEqualTo(Layouts.SGE_SIZE);
    assertThat(VerbsLayouts.WC.size()).isEqualTo(Layouts.WC_SIZE);
    assertThat(VerbsLayouts.SEND_WR.offset("opcode")).isEqualTo(Layouts.SEND_WR_OPCODE);
    assertThat(VerbsLayouts.SEND_WR.offset("send_flags")).isEqualTo(Layouts.SEND_WR_FLAGS);
    assertThat(VerbsLayouts.SEND_WR.offset("imm_data")).isEqualTo(Layouts.SEND_WR_IMMEDIATE);
    assertThat(VerbsLayouts.SEND_WR.offset("wr.rdma.remote_addr"))
        .isEqualTo(Layouts.SEND_WR_REMOTE_ADDRESS);
    assertThat(VerbsLayouts.SEND_WR.offset("wr.rdma.rkey")).isEqualTo(Layouts.SEND_WR_RDMA_RKEY);
    assertThat(VerbsLayouts.SEND_WR.offset("wr.atomic.compare_add"))
        .isEqualTo(Layouts.SEND_WR_COMPARE_ADD);
    assertThat(VerbsLayouts.SEND_WR.offset("wr.atomic.swap")).isEqualTo(Layouts.SEND_WR_SWAP);
    assertThat(VerbsLayouts.SEND_WR.offset("wr.atomic.rkey"))
        .isEqualTo(Layouts.SEND_WR_ATOMIC_RKEY);
    assertThat(VerbsLayouts.SEND_WR.offset("bind_mw.mw")).isEqualTo(Layouts.SEND_WR_BIND_MW);
    assertThat(VerbsLayouts.SEND_WR.offset("bind_mw.rkey")).isEqualTo(Layouts.SEND_WR_BIND_RKEY);
    assertThat(VerbsLayouts.SEND_WR.offset("bind_mw.bind_info.mr"))
        .isEqualTo(Layouts.SEND_WR_BIND_MR);
    assertThat(VerbsLayouts.SEND_WR.offset("bind_mw.bind_info.addr"))
        .isEqualTo(Layouts.SEND_WR_BIND_ADDRESS);
    assertThat(VerbsLayouts.SEND_WR.offset("bind_mw.bind_info.length"))
        .isEqualTo(Layouts.SEND_WR_BIND_LENGTH);
    assertThat(VerbsLayouts.SEND_WR.offset("bind_mw.bind_info.mw_access_flags"))
        .isEqualTo(Layouts.SEND_WR_BIND_ACCESS);
    assertThat(VerbsLayouts.WC.offset("status")).isEqualTo(Layouts.WC_STATUS);
    assertThat(VerbsLayouts.WC.offset("opcode")).isEqualTo(Layouts.WC_OPCODE);
    assertThat(VerbsLayouts.WC.offset("vendor_err")).isEqualTo(Layouts.WC_VENDOR_ERROR);
    assertThat(VerbsLayouts.WC.offset("byte_len")).isEqualTo(Layouts.WC_BYTE_LENGTH);
    assertThat(VerbsLayouts.WC.offset("imm_data")).isEqualTo(Layouts.WC_IMMEDIATE);
    assertThat(VerbsLayouts.WC.offset("qp_num")).isEqualTo(Layouts.WC_QP_NUMBER);
    assertThat(VerbsLayouts.WC.offset("src_qp")).isEqualTo(Layouts.WC_SOURCE_QP);
    assertThat(VerbsLayouts.WC.offset("wc_flags")).isEqualTo(Layouts.WC_FLAGS);
  }
}
