package io.verbena.cli.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.codec.json.Json;
import io.verbena.testkit.Root;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command and the client in Python print the same of one server. */
@Timeout(60)
class PythonAgreesTest {
  private static Shell.Run python(ShopServer shop, String method, String arguments)
      throws Exception {
    List<String> command =
        List.of(
            "python3",
            "-B",
            Root.resolve("samples/python/call.py").toString(),
            shop.address(),
            method,
            arguments);
    Process process;
    try {
      process = new ProcessBuilder(command).start();
    } catch (IOException e) {
      assumeTrue(false, "there is no python3 on this machine: " + e.getMessage());
      throw e;
    }
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Shell.Run(process.waitFor(), out, err);
  }

  private static String status(Shell.Run failed) {
    return Json.parse(failed.err()).get("status").textValue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "shop.v1.find | [\"pear\"]",
        "shop.v1.price | [[{\"item\": \"pear\", \"pieces\": 2}], \"USD\"]",
        "shop.v1.price | [[], null]",
        "shop.back.v1.refuse | [\"not you\"]",
      })
  void onResults(String method, String arguments) throws Exception {
    try (ShopServer shop = ShopServer.whole()) {
      Shell.Run command = Shell.call(shop.address(), method, arguments);
      Shell.Run python = python(shop, method, arguments);
      assertThat(python.exit()).as(python.err()).isEqualTo(command.exit());
      if (command.exit() == 0) {
        assertThat(Json.parse(python.out())).isEqualTo(Json.parse(command.out()));
      } else {
        assertThat(status(python)).isEqualTo(status(command));
      }
    }
  }

  @Test
  void onDeclaredExceptions() throws Exception {
    try (ShopServer shop = ShopServer.ofThePage()) {
      Shell.Run command = Shell.call(shop.address(), "shop.v1.find", "[\"apple\"]");
      Shell.Run python = python(shop, "shop.v1.find", "[\"apple\"]");
      assertThat(python).isEqualTo(command);
    }
  }

  @Test
  void onStreams() throws Exception {
    try (ShopServer shop = ShopServer.ofThePage()) {
      Shell.Run command = Shell.call(shop.address(), "shop.v1.watch", "[\"fig\", 3]");
      assertThat(command.out()).hasLineCount(3);
      assertThat(python(shop, "shop.v1.watch", "[\"fig\", 3]")).isEqualTo(command);
    }
  }
}
