package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.verbena.codec.json.Json;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.Root;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that openapi-generator makes of an older document, whose types had fewer members, call
 * this server.
 */
@Tag("long")
@Timeout(300)
class GeneratedClientsTest {
  private static final Path GENERATOR = Path.of("target/tools/openapi-generator-cli.jar");
  private static final String TYPESCRIPT = "typescript@5.9.3";

  private static final String JAVA =
      """
      import java.util.Map;
      import org.openapitools.client.ApiClient;
      import org.openapitools.client.ApiException;
      import org.openapitools.client.JSON;
      import org.openapitools.client.api.EveryV1Api;
      import org.openapitools.client.api.StoreV1Api;
      import org.openapitools.client.model.EveryV1Fail422Response;
      import org.openapitools.client.model.EveryV1FailRequest;
      import org.openapitools.client.model.Packing;
      import org.openapitools.client.model.StoreV1GetRequest;
      import org.openapitools.client.model.StoreV1PutRequest;
      import org.openapitools.client.model.Value;

      public class Use {
        public static void main(String[] arguments) throws Exception {
          ApiClient client = new ApiClient();
          client.updateBaseUri(arguments[0]);
          StoreV1GetRequest asked = new StoreV1GetRequest();
          asked.setKey("a");
          Value value = new StoreV1Api(client).storeV1Get(asked, null, null);
          System.out.println("value " + value.getText() + " " + value.getVersion());
          System.out.println("box of " + value.getPacking().getBox().getPieces());
          value.setPacking(new Packing().loose(Map.of()));
          new StoreV1Api(client).storeV1Put(new StoreV1PutRequest().key("b").value(value), null, null);
          for (boolean first : new boolean[] {true, false}) {
            EveryV1FailRequest fails = new EveryV1FailRequest();
            fails.setFirst(first);
            try {
              new EveryV1Api(client).everyV1Fail(fails, null, null);
            } catch (ApiException e) {
              EveryV1Fail422Response told =
                  JSON.getDefault().getMapper().readValue(e.getResponseBody(), EveryV1Fail422Response.class);
              System.out.println("failed " + told.getActualInstance().getClass().getSimpleName());
            }
          }
        }
      }
      """;

  private static final Pattern SHOWN = Pattern.compile("```typescript\n(.*?)```", Pattern.DOTALL);

  private static final String USE =
      """
      import { Configuration, EveryV1Api, EveryV1Fail422ResponseFromJSON, ResponseError, StoreV1Api } from './client';
      declare const process: any;
      async function main() {
        const basePath = process.argv[2];
        SHOWN
        const text = await api.storeV1Get({ storeV1GetRequest: { key: 'a' } });
        console.log(typeof text.version);
        const at = new Configuration({ basePath });
        const value = await new StoreV1Api(at).storeV1Get({ storeV1GetRequest: { key: 'a' } });
        console.log('value ' + value.text + ' ' + value.version);
        console.log('box of ' + value.packing.box?.pieces);
        const packed = { ...value, packing: { loose: {} } };
        await new StoreV1Api(at).storeV1Put({ storeV1PutRequest: { key: 'b', value: packed } });
        for (const first of [true, false]) {
          try {
            await new EveryV1Api(at).everyV1Fail({ everyV1FailRequest: { first } });
          } catch (e) {
            if (!(e instanceof ResponseError)) throw e;
            const told = EveryV1Fail422ResponseFromJSON(await e.response.json());
            console.log('failed ' + told.type);
          }
        }
      }
      main();
      """;

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path directory;

  @SuppressWarnings("NullAway.Init") // before each test
  private VerbenaServer server;

  @SuppressWarnings("NullAway.Init") // before each test
  private String at;

  private final MemoryStore store = new MemoryStore();

  @BeforeEach
  void start() {
    store.values.put(
        "a",
        new Store.Value(
            "a", 3, Optional.empty(), List.of(), Map.of(), new Store.Box(6), new byte[] {1}));
    server =
        VerbenaServer.builder()
            .listen("127.0.0.1:0")
            .gateway(new HttpGateway())
            .serve(StoreRpc.bind(store))
            .serve(EveryRpc.bind(new EchoEvery()))
            .start();
    at = "http://127.0.0.1:" + server.address().getPort();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static void assume(boolean there, String what) {
    if (!there) {
      System.err.println("SKIPPED: " + what);
    }
    Assumptions.assumeTrue(there, what);
  }

  /** The document that this server would have had before two members were added to a type. */
  private Path olderDocument() throws Exception {
    ObjectNode document;
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpRequest request = HttpRequest.newBuilder(URI.create(at + "/openapi.json")).build();
      document =
          (ObjectNode) Json.parse(http.send(request, HttpResponse.BodyHandlers.ofString()).body());
    }
    ObjectNode value = (ObjectNode) document.at("/components/schemas/Value");
    List<String> newer = List.of("counts", "bytes");
    ((ObjectNode) value.get("properties")).remove(newer);
    ArrayNode required = value.withArray("required");
    for (int i = required.size() - 1; i >= 0; i--) {
      if (newer.contains(required.get(i).asText())) {
        required.remove(i);
      }
    }
    return Files.writeString(directory.resolve("openapi.json"), Json.line(document));
  }

  private void generate(String language, Path into, String... options) throws Exception {
    assume(
        Files.exists(GENERATOR),
        "openapi-generator is not in target/tools; '-Dverbena.long' has Maven put it there");
    List<String> command = new ArrayList<>(List.of(java(), "-jar", GENERATOR.toString()));
    command.addAll(List.of("generate", "-i", olderDocument().toString(), "-g", language));
    command.addAll(List.of("-o", into.toString()));
    command.addAll(List.of(options));
    run(command, Path.of("").toAbsolutePath());
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  /** Runs a program to its end; returns what it prints. */
  private String run(List<String> command, Path in) throws IOException, InterruptedException {
    Path output = Files.createTempFile(directory, "output", ".txt");
    Process process =
        new ProcessBuilder(command)
            .directory(in.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    boolean ended = process.waitFor(Duration.ofMinutes(4).toSeconds(), TimeUnit.SECONDS);
    String printed = Files.readString(output);
    assertThat(ended && process.exitValue() == 0).as("%s: %s", command, printed).isTrue();
    return printed;
  }

  @Test
  void inJavaAcceptTheAnswersOfANewerServer() throws Exception {
    Path client = directory.resolve("java");
    generate(
        "java",
        client,
        "--library=native",
        "--additional-properties=openApiNullable=false,useJakartaEe=true",
        "--global-property=apiTests=false,modelTests=false,apiDocs=false,modelDocs=false");
    Path main = Files.writeString(client.resolve("Use.java"), JAVA);
    Path classes = Files.createDirectory(client.resolve("classes"));
    List<String> compile = new ArrayList<>();
    compile.add(Path.of(System.getProperty("java.home"), "bin", "javac").toString());
    compile.addAll(List.of("-proc:none", "-nowarn", "-d", classes.toString()));
    compile.addAll(List.of("-cp", System.getProperty("java.class.path"), main.toString()));
    try (Stream<Path> sources = Files.walk(client.resolve("src/main/java"))) {
      sources.map(Path::toString).filter(name -> name.endsWith(".java")).forEach(compile::add);
    }
    run(compile, directory);
    String classPath = classes + File.pathSeparator + System.getProperty("java.class.path");
    assertThat(run(List.of(java(), "-cp", classPath, "Use", at), directory))
        .contains("value a 3\n", "box of 6\n")
        .contains("failed VerbenaFailureLost\n", "failed VerbenaFailureBroken\n");
    assertThat(store.values)
        .hasEntrySatisfying("b", value -> assertThat(value.packing()).isEqualTo(new Store.Loose()));
  }

  @Test
  void inTypeScriptAcceptTheAnswersOfANewerServer() throws Exception {
    assume(isInstalled("node") && isInstalled("npm"), "Node is not installed, with npm");
    Path client = Files.createDirectory(directory.resolve("typescript"));
    List<String> install =
        List.of("npm", "install", "--no-save", "--no-fund", "--no-audit", TYPESCRIPT);
    assume(succeeds(install, client), "npm cannot install " + TYPESCRIPT);
    generate("typescript-fetch", client.resolve("client"));
    Files.writeString(client.resolve("use.ts"), USE.replace("SHOWN", shown()));
    List<String> compile =
        List.of(
            "node_modules/.bin/tsc",
            "--strict",
            "--skipLibCheck",
            "--target",
            "es2020",
            "--module",
            "commonjs",
            "--lib",
            "es2020,dom",
            "use.ts");
    run(compile, client);
    assertThat(run(List.of("node", "use.js", at), client))
        .contains("number 1\nnumber 2\nnumber 3\nstring\n")
        .contains("value a 3\n", "box of 6\n", "failed io.verbena.http.Every.Lost\n")
        .contains("failed io.verbena.http.Every.Broken\n");
    assertThat(store.values)
        .hasEntrySatisfying("b", value -> assertThat(value.packing()).isEqualTo(new Store.Loose()));
  }

  /** What the page on HTTP shows. */
  private static String shown() throws IOException {
    Matcher page = SHOWN.matcher(Files.readString(Root.resolve("docs/how-to/http.md")));
    assertThat(page.find()).isTrue();
    return page.group(1);
  }

  private boolean succeeds(List<String> command, Path in) throws InterruptedException {
    try {
      run(command, in);
      return true;
    } catch (AssertionError | IOException e) {
      System.err.println(e.getMessage());
      return false;
    }
  }

  private static boolean isInstalled(String program) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
  }
}
