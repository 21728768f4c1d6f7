package io.verbena.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.ServerCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients in other languages call services by HTTP/2 at the port of sessions. Each test needs the
 * library of its language: {@code @grpc/grpc-js} in {@code NODE_PATH}, or python3-grpcio.
 */
@Timeout(60)
class OtherLanguagesTest {
  private static final Metadata.Key<String> TEXT =
      Metadata.Key.of("x-echo", Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<byte[]> BINARY =
      Metadata.Key.of("x-echo-bin", Metadata.BINARY_BYTE_MARSHALLER);
  private static final List<String> EXPECTED =
      List.of("echo 50000 hello 010203", "count 20 20000", "fail 5 none here", "wait 4");

  @TempDir Path folder;
  private Server server;

  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Answers with the metadata of the request, in headers and trailers. */
  private static final class Echoes implements ServerInterceptor {
    @Override
    public <Q, S> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, S> call, Metadata request, ServerCallHandler<Q, S> next) {
      return next.startCall(
          new SimpleForwardingServerCall<>(call) {
            @Override
            public void sendHeaders(Metadata headers) {
              String text = request.get(TEXT);
              if (text != null) {
                headers.put(TEXT, text);
              }
              super.sendHeaders(headers);
            }

            @Override
            public void close(Status status, Metadata trailers) {
              byte[] binary = request.get(BINARY);
              if (binary != null) {
                trailers.put(BINARY, binary);
              }
              super.close(status, trailers);
            }
          },
          request);
    }
  }

  private static MethodDescriptor<byte[], byte[]> method(String name, MethodType type) {
    return MethodDescriptor.newBuilder(new Bytes(), new Bytes())
        .setType(type)
        .setFullMethodName("judge/" + name)
        .build();
  }

  @BeforeEach
  void serve() throws IOException {
    server =
        VerbenaServerBuilder.forAddress("127.0.0.1:0")
            .http2(true)
            .intercept(new Echoes())
            .addService(
                ServerServiceDefinition.builder("judge")
                    .addMethod(
                        method("echo", MethodType.UNARY),
                        ServerCalls.asyncUnaryCall(
                            (request, response) -> {
                              response.onNext(request);
                              response.onCompleted();
                            }))
                    .addMethod(
                        method("count", MethodType.SERVER_STREAMING),
                        ServerCalls.asyncServerStreamingCall(
                            (request, response) -> {
                              String count = new String(request, StandardCharsets.UTF_8);
                              for (int i = 0; i < Integer.parseInt(count); i++) {
                                response.onNext(new byte[1_000]);
                              }
                              response.onCompleted();
                            }))
                    .addMethod(
                        method("fail", MethodType.UNARY),
                        ServerCalls.asyncUnaryCall(
                            (request, response) ->
                                response.onError(
                                    Status.NOT_FOUND
                                        .withDescription("none here")
                                        .asRuntimeException())))
                    .addMethod(
                        method("wait", MethodType.UNARY),
                        ServerCalls.asyncUnaryCall((request, response) -> {}))
                    .build())
            .build()
            .start();
  }

  @AfterEach
  void end() throws InterruptedException {
    assertThat(server.shutdownNow().awaitTermination(20, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void servesNode() throws Exception {
    judge("client.js", List.of("node", "-e", "require('@grpc/grpc-js')"), "node");
  }

  @Test
  void servesPython() throws Exception {
    judge("client.py", List.of("/usr/bin/python3", "-c", "import grpc"), "/usr/bin/python3");
  }

  /** Runs a client, if its library is there. */
  private void judge(String script, List<String> check, String program) throws Exception {
    if (!isThere(check)) {
      String why = "SKIPPED: " + script + ", because this fails: " + check;
      System.out.println(why);
      assumeTrue(false, why);
    }
    Path file = folder.resolve(script);
    try (InputStream text = getClass().getResourceAsStream(script)) {
      Files.copy(Objects.requireNonNull(text), file);
    }
    List<String> command = new ArrayList<>(List.of(program, file.toString()));
    command.add("127.0.0.1:" + server.getPort());
    Path said = folder.resolve("said");
    Process client =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start();
    try {
      assertThat(client.waitFor(40, TimeUnit.SECONDS)).isTrue();
      assertThat(Files.readAllLines(said)).isEqualTo(EXPECTED);
    } finally {
      client.destroyForcibly();
    }
  }

  private static boolean isThere(List<String> check) throws InterruptedException {
    try {
      Process process =
          new ProcessBuilder(check)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      boolean ended = process.waitFor(20, TimeUnit.SECONDS);
      process.destroyForcibly();
      return ended && process.exitValue() == 0;
    } catch (IOException e) {
      return false; // no such program
    }
  }
}
