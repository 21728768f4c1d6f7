package io.verbena.cli.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.Schema;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.stub.ServiceDescriptor;
import io.verbena.api.wire.WireOut;
import io.verbena.codec.json.Json;
import io.verbena.codec.json.MethodNames;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server whose contract and replies are made to harm who reads them. */
@Timeout(60)
class HostileServerTest {
  private static final List<Evil> METHODS = new ArrayList<>();
  private static VerbenaServer server;

  /** A method, the type that its result is said to have, and what it is. */
  private record Evil(String name, String result, Consumer<WireOut> reply) {}

  private static void method(String name, String result, Consumer<WireOut> reply) {
    METHODS.add(new Evil(name, result, reply));
  }

  static {
    method("nested", "int" + "[]".repeat(100_000), out -> {});
    method("list", "java.util.List<java.lang.String>", out -> out.writeVarInt(Integer.MAX_VALUE));
    method("text", "java.lang.String", out -> out.writeVarInt(Integer.MAX_VALUE));
    method("bytes", "byte[]", out -> out.writeVarInt(1 << 30));
    method("endless", "Endless", HostileServerTest::writeEndless);
    method("unknown", "java.util.Vector<int>", out -> out.writeInt(1));
    method("map", "java.util.Map<int>", out -> out.writeInt(1));
    method("colour", "Colour", out -> out.writeVarInt(7));
    method("shape", "Shape", out -> out.writeVarInt(7));
    method("misnumbered", "Misnumbered", out -> out.writeVarInt(1));
    method("number", "java.math.BigInteger", out -> out.writeBytes(new byte[] {1}));
    method("digits", "java.math.BigInteger", out -> out.writeBytes(ones(100_000)));
    method(
        "stream",
        "java.util.List<java.util.concurrent.Flow.Publisher<int>>",
        out -> {
          out.writeCount(1);
          out.writeLong(1);
        });
    method("wide", "java.util.List<Wide>", HostileServerTest::writeWide);
    method(
        "control",
        "java.lang.String",
        out -> out.writeString("\u001b[2J\u009b2J\u007f\u202e\u2028"));
    method("con\u001b[2Jtrol", "java.lang.String", out -> {});
  }

  private static byte[] ones(int length) {
    byte[] ones = new byte[length];
    Arrays.fill(ones, (byte) 1);
    return ones;
  }

  /** Subtypes within subtypes, as many as a writer of Verbena's would not write. */
  private static void writeEndless(WireOut out) {
    for (int deeper = 999; deeper >= 0; deeper--) {
      out.writeByte(1);
      int length = deeper * 6;
      for (int shift = 0; shift < 28; shift += 7) {
        out.writeByte(((length >> shift) & 0x7f) | 0x80);
      }
      out.writeByte(0);
    }
  }

  /** Many values of a type with many members, which takes a byte each. */
  private static void writeWide(WireOut out) {
    out.writeCount(100_000);
    for (int i = 0; i < 100_000; i++) {
      out.endRecord(out.beginRecord());
    }
  }

  private static List<Schema.Type> types() {
    List<Schema.Member> members =
        IntStream.range(0, 10_000)
            .mapToObj(i -> new Schema.Member("m" + i, "java.util.List<int>", true))
            .toList();
    return List.of(
        new Schema.Type(
            "Endless", Schema.Kind.SEALED, List.of(new Schema.Member("1", "Endless", false))),
        new Schema.Type("Colour", Schema.Kind.ENUM, List.of(new Schema.Member("RED", "", false))),
        new Schema.Type("Shape", Schema.Kind.SEALED, List.of()),
        new Schema.Type(
            "Misnumbered", Schema.Kind.SEALED, List.of(new Schema.Member("one", "int", false))),
        new Schema.Type("Wide", Schema.Kind.RECORD, members));
  }

  @BeforeAll
  static void start() {
    List<Schema.Method> schema = new ArrayList<>();
    List<MethodDescriptor<?>> methods = new ArrayList<>();
    for (Evil evil : METHODS) {
      int id = schema.size();
      schema.add(new Schema.Method(id, evil.name(), false, List.of(), evil.result(), List.of()));
      methods.add(
          new MethodDescriptor<>("evil", id, evil.name(), false, false, true, 0, in -> null, null));
    }
    ServiceDescriptor<Object> service =
        new ServiceDescriptor<>(
            Object.class, "evil", new Schema("evil", schema, types()), methods, caller -> caller);
    server =
        VerbenaServer.builder()
            .listen("127.0.0.1:0")
            .path(PathPolicy.TCP_ONLY)
            .serve(
                new ServiceBinding(
                    service,
                    (method, in, call) ->
                        call.handle(
                            reply -> METHODS.get(method.id()).reply().accept(reply.result()))))
            .start();
  }

  @AfterAll
  static void close() {
    server.close();
  }

  private static Shell.Run call(String... words) {
    List<String> all = new ArrayList<>(List.of(server.address().getAuthority()));
    all.addAll(List.of(words));
    return Shell.call(all.toArray(String[]::new));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nested | a type nests more than 32 levels",
        "list | 2147483647 elements cannot be in 0 bytes",
        "text | 2147483647 elements cannot be in 0 bytes",
        "bytes | 1073741824 elements cannot be in 0 bytes",
        "endless | records nest more than 256 deep",
        "unknown | type java.util.Vector<int> is not known here",
        "map | type java.util.Map<int> is not known here",
        "colour | Colour",
        "shape | Shape",
        "misnumbered | the id of a subtype of Misnumbered is one",
        "digits | a number takes more than 400 bytes",
        "stream | a stream as part of a value",
      })
  void isRefusedInWords(String method, String words) {
    Shell.Run run = call("evil." + method);
    assertThat(run.err()).contains("\"status\"", words);
    assertThat(run.out()).isEmpty();
    assertThat(run.exit()).isEqualTo(1);
  }

  @Test
  void takesMemoryForWhatItSendsAlone() {
    Shell.Run run = call("evil.wide");
    assertThat(run.err()).isEmpty();
    assertThat(Json.parse(run.out())).hasSize(100_000);
  }

  @Test
  void commandsNoTerminal() {
    assertThat(call("evil.control").out().strip())
        .isEqualTo("\"\\u001B[2J\\u009b2J\\u007f\\u202e\\u2028\"");
    assertThat(call().out()).contains("String con\\u001b[2Jtrol()").doesNotContain("\u001b");
    assertThat(call("evil.con").err()).contains("con\\u001b[2Jtrol").doesNotContain("\u001b");
  }

  @Test
  void aContractOfVeryManyMethodsIsListedInTime() {
    for (String name : List.of("all", "each")) {
      List<Schema.Method> many =
          IntStream.range(0, 300_000)
              .mapToObj(
                  id ->
                      new Schema.Method(
                          id,
                          name.equals("all") ? "m" : "m" + id,
                          false,
                          List.of(),
                          "void",
                          List.of()))
              .toList();
      StringWriter listed = new StringWriter();
      Schema schema = new Schema("many", many, List.of());
      new Listing(schema).printMethods(new PrintWriter(listed, true));
      assertThat(listed.toString().lines()).hasSize(300_001);
      assertThat(new MethodNames(schema).find(name.equals("all") ? "m#299999" : "m299999"))
          .containsExactly(many.getLast());
      assertThat(new MethodNames(schema).find("m#1#2")).isEmpty();
    }
  }
}
