package io.verbena.it.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Metadata;
import io.verbena.api.RpcStatus;
import io.verbena.api.stub.Schema;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.Hello;
import io.verbena.core.frame.OfferedService;
import io.verbena.core.frame.PeerLimits;
import io.verbena.core.frame.Refusal;
import io.verbena.core.frame.SessionKey;
import io.verbena.core.frame.UpgradeMessage;
import io.verbena.core.frame.Welcome;
import io.verbena.it.wire.GoldenFrames.Header;
import io.verbena.testkit.Root;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Frames do not change by mistake: a file has the bytes of each, as this version writes them. Where
 * one is to change, {@code -Dverbena.golden=write} writes the file anew, and the page on the wire
 * tells.
 */
class GoldenFramesTest {
  private static final Path FILE = Path.of("src/test/resources/golden-frames.txt");
  private static final Path PAGE = Root.resolve("docs/spec/wire.md");

  private static final Schema GREETER =
      new Schema(
          "greeter.v1",
          List.of(
              new Schema.Method(
                  1,
                  "greet",
                  false,
                  List.of(new Schema.Member("name", "java.lang.String", false)),
                  "java.lang.String",
                  List.of())),
          List.of());

  private static final SessionKey KEY =
      new SessionKey(0x5ca1ab1e00000001L, 0x0123456789abcdefL, 0xfedcba9876543210L);
  private static final PeerLimits CLIENT = new PeerLimits(64 << 20, 1 << 16, 256);
  private static final PeerLimits SERVER = new PeerLimits(64 << 20, 1 << 16, 1024, 100);
  private static final String TAKES =
      "\"maxMessageBytes\":67108864,\"maxFrameBytes\":65536,\"maxCalls\":";
  private static final String NO_KEY = "\"id\":0,\"high\":0,\"low\":0,\"received\":0";
  private static final String THE_KEY =
      "\"id\":%d,\"high\":%d,\"low\":%d".formatted(KEY.id(), KEY.secretHigh(), KEY.secretLow());

  private final GoldenFrames frames = new GoldenFrames();

  @Test
  void areThoseOfTheFile() throws IOException {
    greetings();
    session();
    contracts();
    calls();
    values();
    rest();
    if ("write".equals(System.getProperty("verbena.golden"))) {
      Files.writeString(FILE, frames.text());
    }
    assertThat(frames.text()).isEqualTo(Files.readString(FILE));
  }

  /** The page's example is the session of the file. */
  @Test
  void areTheExampleOfThePage() throws IOException {
    String page = Files.readString(PAGE).replaceAll("\\s+", "");
    List<String> lines = Files.readAllLines(FILE);
    int found = 0;
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).startsWith("session ")) {
        assertThat(page).as(lines.get(i)).contains(lines.get(i + 3).replace("  bytes ", ""));
        found++;
      }
    }
    assertThat(found).isEqualTo(6);
  }

  private void greetings() {
    Hello resumes =
        new Hello(
            3,
            4,
            0,
            KEY,
            300,
            0,
            new PeerLimits(1 << 20, 4096, 64, 250),
            "törken",
            List.of(new OfferedService("visitor.v1", -2, 1, List.of(1, 2, 300))),
            new UpgradeMessage(8, new byte[] {1, 2, -1}));
    frames.add(
        "HELLO that resumes, with an upgrade",
        Header.unnumbered(FrameKind.HELLO, 0x107, 0, 0x107),
        "body {\"oldest\":3,\"newest\":4,\"features\":3,"
            + THE_KEY
            + ",\"received\":300,\"kept\":0,\"maxMessageBytes\":1048576,\"maxFrameBytes\":4096,"
            + "\"maxCalls\":64,\"token\":\"törken\",\"services\":[[\"visitor.v1\",-2,1,[1,2,300]]],"
            + "\"epoch\":8,\"content\":\"0102ff\",\"ping\":250}",
        resumes::write);
    frames.add(
        "WELCOME that keeps contracts",
        Header.unnumbered(FrameKind.WELCOME, 7, 0, 7),
        "body {\"version\":3,\"features\":6,"
            + THE_KEY
            + ",\"received\":299,"
            + TAKES
            + "1024,\"services\":[],\"ping\":100}",
        new Welcome(3, Welcome.KEEPS_CONTRACTS, KEY, 299, SERVER, List.of())::write);
    frames.add(
        "REFUSED since the session is gone",
        Header.unnumbered(FrameKind.REFUSED, 7, 0, 7),
        "body {\"status\":5,\"unknown\":true,\"whole\":false,\"message\":\"it has ended here\"}",
        new Refusal(RpcStatus.UNAVAILABLE, true, false, "it has ended here")::write);
  }

  private void session() {
    List<OfferedService> greeter =
        List.of(new OfferedService("greeter.v1", GREETER.hash(), 0, List.of(1)));
    frames.add(
        "session 1, client: HELLO",
        Header.unnumbered(FrameKind.HELLO, 1, 0, 1),
        "body {\"oldest\":3,\"newest\":3,\"features\":0,"
            + NO_KEY
            + ",\"kept\":0,"
            + TAKES
            + "256,\"token\":\"\",\"services\":[]}",
        new Hello(3, 3, 0, SessionKey.NONE, 0, 0, CLIENT, "", List.of(), null)::write);
    frames.add(
        "session 2, server: WELCOME",
        Header.unnumbered(FrameKind.WELCOME, 1, 0, 1),
        "body {\"version\":3,\"features\":2,"
            + THE_KEY
            + ",\"received\":0,"
            + TAKES
            + "1024,\"services\":[[\"greeter.v1\","
            + GREETER.hash()
            + ",0,[1]]],\"ping\":100}",
        new Welcome(3, 0, KEY, 0, SERVER, greeter)::write);
    frames.add(
        "session 3, client: REQUEST",
        new Header(FrameKind.REQUEST, 0, 1, 1, 0, 15_000_000, 1, 0),
        "values [\"java.lang.String\"] [\"world\"]",
        out -> out.writeString("world"));
    frames.add(
        "session 4, server: RESULT",
        new Header(FrameKind.RESULT, 0, 1, 1, 1, -1, 1, 0),
        "values [\"java.lang.String\"] [\"Hello, world!\"]",
        out -> out.writeString("Hello, world!"));
    frames.add(
        "session 5, client: ACK", Header.unnumbered(FrameKind.ACK, 1, 1, -1), "body {}", out -> {});
    frames.add(
        "session 6, client: GOODBYE",
        Header.unnumbered(FrameKind.GOODBYE, 1, 1, -1),
        "body {}",
        out -> {});
  }

  private void contracts() {
    Schema schema = NurseryRpc.SERVICE.schema();
    OfferedService offer = OfferedService.of(NurseryRpc.SERVICE, 1);
    String ids = offer.methods().toString().replace(" ", "");
    frames.add(
        "SERVICES",
        Header.numbered(FrameKind.SERVICES, 1),
        "body {\"services\":[[\"nursery.v1\"," + offer.schemaHash() + ",1," + ids + "]]}",
        out -> OfferedService.writeAll(out, List.of(offer)));
    int id = OfferedService.id("nursery.v1");
    frames.add(
        "SCHEMA_REQUEST",
        Header.numbered(FrameKind.SCHEMA_REQUEST, 1),
        "body {\"id\":" + id + ",\"services\":[]}",
        out -> {
          out.writeInt(id);
          OfferedService.writeAll(out, List.of());
        });
    frames.add(
        "SCHEMA of a service that is not served",
        Header.numbered(FrameKind.SCHEMA, 2),
        "body {\"id\":" + id + ",\"served\":false}",
        out -> {
          out.writeInt(id);
          out.writeBoolean(false);
        });
    frames.add(
        "SCHEMA",
        Header.numbered(FrameKind.SCHEMA, 3),
        "schema " + schema.hash(),
        out -> {
          out.writeInt(id);
          out.writeBoolean(true);
          GoldenFrames.schema(out, schema);
        });
  }

  private void calls() {
    Nursery nursery = new PlainNursery();
    frames.add(
        "REQUEST for a plant",
        new Header(FrameKind.REQUEST, 0, 0x102, 0x1_0000_0002L, 0xffff_ffffL, 250, 70_000, 258),
        "arguments find [\"verbena\"]",
        GoldenFrames.arguments(some -> some.find("verbena")));
    frames.add(
        "RESULT, a plant",
        Header.of(FrameKind.RESULT, 4, 70_000),
        "result find {\"name\":\"verbena\",\"heightCm\":30,\"since\":[2030,1,31],"
            + "\"colours\":[\"VIOLET\",\"RED\"],\"pot\":{\"Clay\":{\"litres\":6}},\"note\":null}",
        GoldenFrames.outcome(nursery, some -> some.find("verbena")));
    frames.add(
        "DECLARED_ERROR",
        Header.of(FrameKind.DECLARED_ERROR, 5, 2),
        "error find {\"message\":\"no 'triffid' grows here\",\"nearest\":\"verbena\"}",
        GoldenFrames.outcome(nursery, some -> some.find("triffid")));
    frames.add(
        "FAILURE",
        Header.of(FrameKind.FAILURE, 6, 3),
        "body {\"status\":10,\"execution\":2,\"type\":\"java.lang.Error\",\"message\":\"why\"}",
        out -> {
          out.writeByte(RpcStatus.INTERNAL.code());
          out.writeByte(2);
          out.writeString("java.lang.Error");
          out.writeString("why");
        });
    frames.add(
        "RESULT with metadata",
        new Header(FrameKind.RESULT, FrameHeader.FLAG_METADATA, 1, 7, 3, -1, 4, 0),
        "values [\"int\"] [7] [[\"request-id\",\"37663361\"],[\"request-id\",\"\"]]",
        out -> out.writeInt(7),
        Metadata.EMPTY
            .plus(Metadata.Key.text("request-id"), "7f3a")
            .plus(Metadata.Key.text("request-id"), ""));
    frames.add(
        "ONEWAY",
        new Header(FrameKind.ONEWAY, 0, 1, 8, 3, -1, 5, 5),
        "arguments note [-1]",
        GoldenFrames.arguments(some -> some.note(-1)));
    frames.add("CANCEL", Header.of(FrameKind.CANCEL, 9, 4), "body {}", out -> {});
    frames.add(
        "ONEWAY_DONE with some that were dropped",
        Header.numbered(FrameKind.ONEWAY_DONE, 10),
        "body {\"done\":200,\"dropped\":1,\"why\":\"no memory\"}",
        out -> {
          out.writeVarInt(200);
          out.writeVarInt(1);
          out.writeString("no memory");
        });
    frames.add(
        "a question for items",
        new Header(FrameKind.REQUEST, 0, 1, 11, 3, -1, 6, 17),
        "values [\"varlong\",\"varint\"] [-2,64]",
        out -> {
          out.writeVarLong(-2);
          out.writeVarInt(64);
        });
  }

  private void values() {
    Nursery.Plant plant =
        new Nursery.Plant(
            "fern", -5, LocalDate.of(-1, 12, 1), List.of(), Nursery.Size.LARGE, "shade");
    Nursery.Everything all =
        new Nursery.Everything(
            true,
            (byte) -1,
            (short) 300,
            'ß',
            -70_000,
            1L << 40,
            1.5f,
            -0.25,
            "naïve 🌱",
            new byte[] {0, -1},
            new int[] {1, -2},
            Map.of("x", List.of(Nursery.Colour.RED, Nursery.Colour.VIOLET)),
            Optional.of(plant),
            OptionalLong.of(7),
            null,
            new BigInteger("-12345678901234567890123"),
            new BigDecimal("-12.50"),
            UUID.fromString("01234567-89ab-cdef-0123-456789abcdef"),
            Instant.ofEpochSecond(-1, 999_999_999),
            ZonedDateTime.of(2030, 1, 31, 12, 0, 0, 5, ZoneId.of("Europe/Paris")),
            List.of(new Nursery.Clay(6), new Nursery.Bare(), Nursery.Size.SMALL));
    String found =
        """
        {"flag":true,"one":-1,"two":300,"letter":"ß","four":-70000,"eight":1099511627776,\
        "single":1.5,"twice":-0.25,"text":"naïve 🌱","bytes":"00ff","numbers":[1,-2],\
        "byName":{"x":["RED","VIOLET"]},"plant":{"name":"fern","heightCm":-5,"since":[-1,12,1],\
        "colours":[],"pot":{"Size":"LARGE"},"note":"shade"},"maybe":7,"nothing":null,\
        "large":-12345678901234567890123,"price":"-12.50",\
        "id":"01234567-89ab-cdef-0123-456789abcdef","instant":[-1,999999999],\
        "zoned":[[[2030,1,31],43200000000005],3600,"Europe/Paris"],\
        "pots":[{"Clay":{"litres":6}},{"Bare":{}},{"Size":"SMALL"}]}""";
    frames.add(
        "REQUEST with a value of each kind",
        new Header(FrameKind.REQUEST, 0, 1, 12, 3, 15_000_000, 7, 2),
        "arguments echo [" + found + "]",
        GoldenFrames.arguments(some -> some.echo(all)));
    frames.add(
        "RESULT with a value of each kind",
        Header.of(FrameKind.RESULT, 13, 7),
        "result echo " + found,
        GoldenFrames.outcome(new PlainNursery(), some -> some.echo(all)));
  }

  private void rest() {
    frames.add(
        "PING", Header.unnumbered(FrameKind.PING, 1, 0x1_0000_0005L, -1), "body {}", out -> {});
    frames.add(
        "DRAINING",
        Header.numbered(FrameKind.DRAINING, 14),
        "body {\"message\":\"the server shuts down\"}",
        out -> out.writeString("the server shuts down"));
    frames.add("LAST_CALL", Header.numbered(FrameKind.LAST_CALL, 15), "body {}", out -> {});
    frames.add(
        "UPGRADE_DECLINED",
        Header.numbered(FrameKind.UPGRADE_DECLINED, 16),
        "body {\"epoch\":2,\"content\":\"6e6f\"}",
        new UpgradeMessage(2, "no".getBytes(StandardCharsets.UTF_8))::write);
    frames.add(
        "the first piece of a message",
        new Header(FrameKind.RESULT, FrameHeader.FLAG_FIRST_FRAGMENT, 1, 17, 3, -1, 8, 0),
        "values [\"int\",\"byte\"] [5,1]",
        out -> {
          out.writeInt(5);
          out.writeByte(1);
        });
    frames.add(
        "another piece",
        Header.of(FrameKind.FRAGMENT, 18, 8),
        "values [\"int\"] [33752069]",
        out -> out.writeInt(0x02030405));
  }
}
