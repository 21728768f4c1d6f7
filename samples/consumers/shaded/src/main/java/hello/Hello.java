package hello;

import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;

/** A server, and a client that calls it over TCP; both compress what is long. */
public final class Hello {
  private Hello() {}

  /** Prints the answer of one call if it came compressed. */
  public static void main(String[] args) throws Exception {
    Greeter english = name -> "Hello, " + name + "!";
    try (VerbenaServer server =
            VerbenaServer.builder()
                .listen("127.0.0.1:0")
                .compressFromBytes(100)
                .serve(GreeterRpc.bind(english))
                .start();
        VerbenaClient client = VerbenaClient.builder().compressFromBytes(100).build();
        Session session = client.connect(server.address().toString())) {
      String answer = GreeterRpc.client(session).greet("world".repeat(1000));
      if (compressed() > 1) {
        System.out.println(answer.replace("world".repeat(1000), "world"));
      }
    }
  }

  /** Returns how many messages this process's clients and servers compressed. */
  private static long compressed() throws Exception {
    ObjectName name = new ObjectName("io.verbena:type=Verbena");
    Object engines = ManagementFactory.getPlatformMBeanServer().getAttribute(name, "Engines");
    return Arrays.stream((CompositeData[]) engines)
        .map(engine -> (CompositeData) engine.get("compression"))
        .mapToLong(compression -> (long) compression.get("messages"))
        .sum();
  }
}
