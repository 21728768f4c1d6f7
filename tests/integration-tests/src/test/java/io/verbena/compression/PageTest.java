package io.verbena.compression;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.codec.Compression;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.testkit.Root;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The example on the page of the wire is what it says. */
class PageTest {
  @Test
  void theExampleOfThePageBecomesItsWords() throws Exception {
    String page = Files.readString(Root.resolve("docs/spec/wire.md"));
    int begin = page.indexOf("03080801 ");
    String hex = page.substring(begin, page.indexOf("```", begin)).replaceAll("\\s+", "");
    ByteBuffer frame = ByteBuffer.wrap(HexFormat.of().parseHex(hex));
    long first = FrameHeader.first(frame, 0);
    assertThat(FrameHeader.misfit(first, 1)).isNull();
    assertThat(FrameHeader.kindCode(first)).isEqualTo(FrameKind.REQUEST.code());
    assertThat(FrameHeader.flags(first)).isEqualTo(FrameHeader.FLAG_COMPRESSED);
    byte[] plain =
        new Compression(new JavaLz4(), 1, 4096).expand(frame, FrameHeader.BYTES, frame.capacity());
    assertThat(plain).startsWith((byte) 40).hasSize(41);
    assertThat(new String(plain, 1, 40, StandardCharsets.UTF_8)).isEqualTo("verbena ".repeat(5));
  }
}
