package hello;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;

public final class Hello {
  public static void main(String[] args) {
    Greeter english = name -> "Hello, " + name + "!";
    try (VerbenaServer server =
            VerbenaServer.builder().listen("127.0.0.1:0").serve(GreeterRpc.bind(english)).start();
        VerbenaClient client = VerbenaClient.builder().build();
        Session session = client.connect(server.address().toString())) {

      Greeter greeter = GreeterRpc.client(session);
      System.out.println(greeter.greet("world"));

      GreeterRpc.Async async = GreeterRpc.async(session);
      async.greet("future").thenAccept(System.out::println).toCompletableFuture().join();

      System.out.println("path: " + session.path());
    }
  }
}

@RpcService(name = "greeter.v1")
interface Greeter {
  @RpcMethod(id = 1)
  String greet(String name);
}
