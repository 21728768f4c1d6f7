package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.verbena.core.ClientAuthenticator.AuthenticationException;
import io.verbena.core.VerbenaServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The page, as a user has it, in Chromium where that is installed. */
@Tag("long")
@Timeout(180)
class PageInBrowserTest {
  @TempDir private Path profile;
  private final MemoryStore store = new MemoryStore();

  private static JsonNode when(Browser browser, String body) throws Exception {
    return browser.evaluate(
        """
        new Promise((done, failed) => {
          const began = Date.now();
          (function look() {
            const value = (() => { %s })();
            if (value) done(value);
            else if (Date.now() - began > 30000) failed(new Error(document.body.innerText));
            else setTimeout(look, 20);
          })();
        })
        """
            .formatted(body));
  }

  private static void choose(Browser browser, String path) throws Exception {
    when(browser, "return document.querySelector('button[data-path=\"%s\"]')".formatted(path));
    browser.evaluate("document.querySelector('button[data-path=\"%s\"]').click()".formatted(path));
  }

  private static JsonNode call(Browser browser, String body) throws Exception {
    browser.evaluate(
        """
        (() => { const body = document.getElementById('body');
          body.value = %s; body.dispatchEvent(new Event('input'));
          document.getElementById('call').click(); })()
        """
            .formatted(body));
    return when(
        browser,
        """
        const status = document.getElementById('status').textContent;
        return document.getElementById('stop').hidden && status !== '' && status !== '…'
          && { status, result: document.getElementById('result').textContent,
            curl: document.getElementById('curl').textContent }
        """);
  }

  @Test
  void showsAndCallsTheServices() throws Exception {
    Optional<Path> chromium = Browser.program();
    assumeThat(chromium).isPresent();
    store.values.put(
        "it's",
        new Store.Value(
            "<b>", 7, Optional.empty(), List.of(), Map.of(), new Store.Loose(), new byte[0]));
    try (VerbenaServer server =
        VerbenaServer.builder()
            .listen("127.0.0.1:0")
            .gateway(new HttpGateway())
            .serve(StoreRpc.bind(store))
            .authenticator(
                client -> {
                  if (!client.token().equals("open-sesame")) {
                    throw new AuthenticationException("that is no password");
                  }
                  return "ali";
                })
            .tellContracts(true)
            .start()) {
      String url = "http://127.0.0.1:" + server.address().getPort() + "/";
      try (Browser browser = new Browser(chromium.get(), profile, url)) {
        assertThat(when(browser, "return document.querySelector('#services .bad')?.textContent"))
            .hasToString("\"that is no password\"");
        browser.evaluate(
            """
            (() => { const token = document.getElementById('token');
              token.value = 'open-sesame'; token.dispatchEvent(new Event('change')); })()
            """);

        choose(browser, "/store.v1/get");
        assertThat(browser.evaluate("document.getElementById('shape').textContent").asText())
            .isEqualTo("(key: string) → Value");
        assertThat(browser.evaluate("document.getElementById('body').value").asText())
            .isEqualTo("{\n  \"key\": \"text\"\n}");
        JsonNode found = call(browser, "'{\"key\": \"it\\'s\"}'");
        assertThat(found.path("status").asText()).isEqualTo("200 OK");
        assertThat(found.path("result").asText()).contains("\"text\": \"<b>\"", "\"version\": 7");
        assertThat(found.path("curl").asText())
            .isEqualTo(
                "curl -d '{\"key\":\"it'\\''s\"}' -H \"Authorization: Bearer $TOKEN\" '%sstore.v1/get'"
                    .formatted(url));
        assertThat(browser.evaluate("document.querySelectorAll('#result b').length").asInt())
            .isZero();

        JsonNode missing = call(browser, "'[\"none\"]'");
        assertThat(missing.path("status").asText()).isEqualTo("422 DECLARED");
        assertThat(missing.path("result").asText()).contains("nothing is kept under 'none'");

        choose(browser, "/store.v1/count");
        assertThat(call(browser, "'[1, 3]'").path("result").asText()).isEqualTo("1\n2\n3\n");

        choose(browser, "/store.v1/put");
        String example = browser.evaluate("document.getElementById('body').value").asText();
        assertThat(example).contains("\"Box\"", "\"RED\"", "2030-01-31");
        assertThat(call(browser, "document.getElementById('body').value").path("status").asText())
            .isEqualTo("204 OK");
        assertThat(store.values).containsKey("text");

        assertThat(
                browser.evaluate(
                    "performance.getEntriesByType('resource')"
                        + ".filter(one => !one.name.startsWith(location.origin)"
                        + " && !one.name.startsWith('data:')).length"))
            .hasToString("0");
      }
    }
  }
}
