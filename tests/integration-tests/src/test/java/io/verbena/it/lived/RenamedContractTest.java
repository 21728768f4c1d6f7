package io.verbena.it.lived;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testkit.JavaProcess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server is deployed with a contract in which names were changed; its clients are the old ones.
 */
@Tag("long")
class RenamedContractTest {
  private static final String PROGRAM =
      """
      package shop;
      import io.verbena.api.*;
      import io.verbena.core.*;
      import java.util.*;
      public final class Program {
        @RpcService(name = "shop.v1")
        public interface Shop {
          @RpcMethod(id = 1) List<Item> find(String text);
          @RpcMethod(id = 2) Size size(String name, String unit);
        }
        public record Item(String name, long price) {}
        public record Size(int width, int height) {}
        static final class Shelf implements Shop {
          @Override public List<Item> find(String text) { return List.of(new Item(text, 7)); }
          @Override public Size size(String name, String unit) { return new Size(1, 2); }
        }
        public static void main(String[] arguments) throws Exception {
          if (arguments.length == 0) {
            VerbenaServer server =
                VerbenaServer.builder()
                    .listen("127.0.0.1:0")
                    .serve(Program_ShopRpc.bind(new Shelf()))
                    .start();
            say(server.address());
            while (System.in.read() != -1) {}
            server.close();
            return;
          }
          try (VerbenaClient client = VerbenaClient.builder().build()) {
            Shop shop = Program_ShopRpc.client(client.connect(arguments[0]));
            say(shop.find("tea"));
            try {
              say(shop.size("tea", "mm"));
            } catch (RpcException e) {
              say(e.getMessage());
            }
            say(shop.find("tea"));
          }
        }
        static void say(Object what) { System.out.println("SAYS " + what); }
      }
      """;

  @TempDir private Path directory;

  @Test
  void namesThatChangedHarmNobodyAndPlacesThatChangedOneMethod() throws IOException {
    Path old = compiled("old", PROGRAM);
    Path renamed =
        compiled(
            "renamed",
            PROGRAM
                .replace("Item", "Article")
                .replace("long price", "long cost")
                .replace("String name, String unit", "String unit, String name"));
    try (JavaProcess server = program(renamed);
        JavaProcess client = program(old, said(server))) {
      assertThat(said(client)).isEqualTo("[Item[name=tea, price=7]]");
      assertThat(said(client))
          .startsWith("shop.v1/size failed before it was sent: INCOMPATIBLE")
          .contains("method size (id 2), parameter 1 is 'name: java.lang.String' here");
      assertThat(said(client)).isEqualTo("[Item[name=tea, price=7]]");
    }
  }

  private static JavaProcess program(Path classes, String... arguments) throws IOException {
    String classPath = classes + File.pathSeparator + JavaProcess.classPath();
    return JavaProcess.of("-cp", classPath, "shop.Program").arguments(arguments).start();
  }

  /** Returns the next that the program says; the log stands between. */
  private static String said(JavaProcess program) throws IOException {
    return program.lineAfter("SAYS ");
  }

  private Path compiled(String version, String text) throws IOException {
    Path home = Files.createDirectories(directory.resolve(version));
    Path source = Files.writeString(home.resolve("Program.java"), text);
    String classPath = System.getProperty("java.class.path");
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "--processor-path",
                classPath,
                "-cp",
                classPath,
                "-d",
                home.toString(),
                source.toString());
    assertThat(failed).isZero();
    return home;
  }
}
