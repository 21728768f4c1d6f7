package io.verbena.cli.call;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.verbena.api.CallOptions;
import io.verbena.api.Metadata;
import io.verbena.api.Priority;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.StreamIterator;
import io.verbena.api.Streams;
import io.verbena.api.stub.Schema;
import io.verbena.api.wire.WireException;
import io.verbena.codec.json.DeclaredException;
import io.verbena.codec.json.Failure;
import io.verbena.codec.json.Json;
import io.verbena.codec.json.JsonMethod;
import io.verbena.codec.json.Labels;
import io.verbena.codec.json.MethodNames;
import io.verbena.codec.json.WrongJsonException;
import io.verbena.core.VerbenaClient;
import java.io.InputStream;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code verbena call}. It lists services of a server, or calls a method with JSON. */
@Command(
    name = "call",
    description = {
      "Calls a method of a server with JSON, and prints its result as JSON. The contract comes from"
          + " the server. Without METHOD, the command lists services, their methods and types.",
      "A stream among the parameters is read from the standard input, one item a line. A stream of"
          + " results is printed in the same way.",
      "Exit status: 1 if the call failed; the failure is printed as JSON on the standard error. 2 if"
          + " options or JSON are wrong. 141 if the reader of the output closed it, as 'head' does."
    })
public final class CallCommand implements Callable<Integer> {
  private static final int FAILED = 1;

  /** The exit status of a process that SIGPIPE ends. */
  private static final int NOT_READ = 128 + 13;

  private static final Duration LIMIT = Duration.ofSeconds(15);

  private final InputStream in;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private Server server = new Server();

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "SERVICE[.METHOD]",
      description =
          "the service to list, or the method to call; NAME#ID selects one of several methods with the same name")
  private @Nullable String target;

  @Parameters(
      index = "2",
      arity = "0..1",
      paramLabel = "JSON",
      description =
          "the arguments: an object with the names of the parameters, or an array in their order;"
              + " '-' reads them from the standard input")
  private @Nullable String arguments;

  @Option(
      names = {"-H", "--header"},
      paramLabel = "KEY=VALUE",
      description = "metadata of the call; may be repeated")
  private List<String> headers = List.of();

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      converter = TimeOption.class,
      description =
          "the longest time of the call, such as 250ms or 2s (default: 15s; no limit for streams)")
  private @Nullable Duration timeout;

  /** Reads items and arguments from the standard input. */
  public CallCommand() {
    this(System.in);
  }

  CallCommand(InputStream in) {
    this.in = in;
  }

  @Override
  public Integer call() throws Exception {
    try {
      CallOptions options = CallOptions.DEFAULT.withTimeout(timeout).withMetadata(metadata());
      try (VerbenaClient client = server.client(limit());
          Interruption interruption = new Interruption(client)) {
        return run(client, options, interruption);
      }
    } catch (RpcException e) {
      return failed(Failure.of(e, ShellWords.of(String.valueOf(e.getMessage()))));
    } catch (DeclaredException e) {
      return failed(Failure.of(e));
    } catch (WireException e) {
      return failed(Failure.of("INCOMPATIBLE", String.valueOf(e.getMessage())));
    } catch (WrongJsonException | IllegalArgumentException e) {
      throw wrong(String.valueOf(e.getMessage()));
    }
  }

  private Duration limit() {
    return timeout == null ? LIMIT : timeout;
  }

  private Metadata metadata() {
    Metadata metadata = Metadata.EMPTY;
    for (String header : headers) {
      int equals = header.indexOf('=');
      if (equals < 0) {
        throw wrong("--header is KEY=VALUE, not '" + header + "'");
      }
      String name = header.substring(0, equals);
      String value = header.substring(equals + 1);
      metadata =
          name.equals(Priority.KEY_NAME)
              ? Priority.ofWord(value).in(metadata)
              : metadata.plus(Metadata.Key.text(name), value);
    }
    return metadata;
  }

  private int run(VerbenaClient client, CallOptions options, Interruption interruption)
      throws Exception {
    try (Session session = client.connect(server.address())) {
      return run(client, session, options);
    } catch (RpcException e) {
      if (interruption.came()) {
        return FAILED; // the signal sets the exit status, so the reason is not printed
      }
      throw e;
    }
  }

  private int run(VerbenaClient client, Session session, CallOptions options) throws Exception {
    List<String> services = answer(client.services(session), "its services");
    String wanted = target;
    if (wanted == null || services.contains(wanted)) {
      if (arguments != null) {
        throw wrong("arguments need a method; write " + wanted + ".METHOD");
      }
      for (String service : wanted == null ? services : List.of(wanted)) {
        list(schema(client, session, service));
      }
      return printed();
    }
    String service = serviceOf(wanted, services);
    Schema schema = schema(client, session, service);
    JsonMethod method = new JsonMethod(schema, methodOf(schema, wanted));
    return call(method, session, options);
  }

  private Schema schema(VerbenaClient client, Session session, String service) throws Exception {
    return answer(client.schema(session, service), "its contract of " + service);
  }

  private void list(Schema schema) {
    PrintWriter out = spec.commandLine().getOut();
    Listing listing = new Listing(schema);
    listing.printMethods(out);
    if (target != null) {
      listing.printTypes(out);
    }
  }

  private String serviceOf(String wanted, List<String> services) {
    String found = "";
    for (String service : services) {
      boolean named = wanted.startsWith(service + ".") || wanted.startsWith(service + "/");
      if (named && service.length() > found.length()) {
        found = service;
      }
    }
    if (found.isEmpty()) {
      throw wrong(
          "the server has no service for '%s'; it serves %s"
              .formatted(wanted, services.isEmpty() ? "none" : String.join(", ", services)));
    }
    return found;
  }

  private Schema.Method methodOf(Schema schema, String wanted) {
    String name = wanted.substring(schema.service().length() + 1);
    MethodNames names = new MethodNames(schema);
    List<Schema.Method> found = names.find(name);
    if (found.size() == 1) {
      return found.getFirst();
    }
    String of = found.isEmpty() ? "%s has no method '%s'; it has %s" : "%s has several '%s': %s";
    List<Schema.Method> all = found.isEmpty() ? schema.methods() : found;
    throw wrong(of.formatted(schema.service(), name, String.join(", ", names.of(all))));
  }

  private int call(JsonMethod method, Session session, CallOptions options) throws Exception {
    boolean readsArguments = "-".equals(arguments);
    if (readsArguments && method.takesItems()) {
      throw wrong(
          "the standard input has the items of the stream; give the arguments on the command line");
    }
    String given = readsArguments ? Line.all(in) : arguments;
    JsonNode json = given == null ? Json.EMPTY : Json.parse(given);
    try {
      print(method.call(session, options, json, Streams.of(Line.of(in).map(CallCommand::item))));
    } catch (RpcException | DeclaredException e) {
      WrongJsonException item = method.wrongItem();
      throw item == null ? e : item; // the wrong item made the call fail
    }
    WrongJsonException item = method.wrongItem();
    if (item != null) {
      throw item;
    }
    return printed();
  }

  private static JsonMethod.Item item(Line line) {
    return new JsonMethod.Item("line " + line.number(), () -> Json.parse(line.text()));
  }

  /** Prints a result. A stream ends early if the reader of the output closes it. */
  private void print(JsonMethod.Result<JsonNode> result) {
    PrintWriter out = spec.commandLine().getOut();
    Flow.Publisher<JsonNode> items = result.items();
    if (items != null) {
      try (StreamIterator<JsonNode> each = Streams.iterate(items)) {
        while (!out.checkError() && each.hasNext()) {
          out.println(Json.line(each.next()));
        }
      }
    } else if (result.value() != null) {
      out.println(Json.pretty(result.value()));
    }
  }

  /** Returns the exit status after the output is complete. */
  private int printed() {
    return spec.commandLine().getOut().checkError() ? NOT_READ : 0;
  }

  private int failed(ObjectNode why) {
    PrintWriter err = spec.commandLine().getErr();
    err.println(Json.pretty(why));
    err.flush();
    return FAILED;
  }

  private ParameterException wrong(String why) {
    return new ParameterException(spec.commandLine(), Labels.shown(why));
  }

  /** Waits for the server's answer about itself. */
  private <T> T answer(CompletionStage<T> stage, String what) throws Exception {
    try {
      return stage.toCompletableFuture().get(limit().toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    } catch (CancellationException e) {
      throw untold("the session was lost before the server sent " + what, e);
    } catch (TimeoutException e) {
      throw untold(
          "the server did not send %s within %d ms".formatted(what, limit().toMillis()), e);
    }
  }

  private static RpcException untold(String why, Exception cause) {
    return new RpcException(RpcStatus.UNAVAILABLE, why, cause);
  }
}
