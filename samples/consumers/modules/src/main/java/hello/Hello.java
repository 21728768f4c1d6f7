package hello;

import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;

/** A server, and a client that calls it over TCP. */
public final class Hello {
  private Hello() {}

  /** Prints the answer of one call. */
  public static void main(String[] args) {
    Greeter english = name -> "Hello, " + name + "!";
    try (VerbenaServer server =
            VerbenaServer.builder().listen("127.0.0.1:0").serve(GreeterRpc.bind(english)).start();
        VerbenaClient client = VerbenaClient.builder().build();
        Session session = client.connect(server.address().toString())) {
      System.out.println(GreeterRpc.client(session).greet("world"));
    }
  }
}
