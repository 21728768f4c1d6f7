package hello

import io.verbena.core.VerbenaClient
import io.verbena.core.VerbenaServer

/** A server, and a client that calls it over TCP. */
fun main() {
  val english = object : Greeter { override fun greet(name: String) = "Hello, $name!" }
  VerbenaServer.builder().listen("127.0.0.1:0").serve(GreeterRpc.bind(english)).start().use { server ->
    VerbenaClient.builder().build().use { client ->
      client.connect(server.address().toString()).use { println(GreeterRpc.client(it).greet("world")) }
    }
  }
}
