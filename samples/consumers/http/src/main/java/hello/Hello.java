package hello;

import io.verbena.core.VerbenaServer;
import io.verbena.http.HttpGateway;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;

/** A server, and a client that calls it by HTTP and JSON. */
public final class Hello {
  private Hello() {}

  /** Prints the answer of one call, without its quotes. */
  public static void main(String[] args) throws Exception {
    Greeter english = name -> "Hello, " + name + "!";
    try (VerbenaServer server =
            VerbenaServer.builder()
                .listen("127.0.0.1:0")
                .gateway(new HttpGateway())
                .serve(GreeterRpc.bind(english))
                .start();
        HttpClient client = HttpClient.newHttpClient()) {
      int port = server.address().getPort();
      URI greet = URI.create("http://127.0.0.1:" + port + "/greeter.v1/greet");
      HttpRequest request =
          HttpRequest.newBuilder(greet)
              .POST(BodyPublishers.ofString("{\"name\":\"world\"}"))
              .build();
      String json = client.send(request, BodyHandlers.ofString()).body();
      System.out.println(json.strip().replace("\"", ""));
    }
  }
}
