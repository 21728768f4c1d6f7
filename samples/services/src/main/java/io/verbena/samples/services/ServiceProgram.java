package io.verbena.samples.services;

import io.verbena.api.Channel;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.channel.BalancedChannel;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.http.HttpGateway;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The common part of the three services: they listen, register, find others, and are monitored. */
@Command(mixinStandardHelpOptions = true)
final class ServiceProgram implements Callable<Integer> {
  /** The longest time of a call here. */
  static final Duration DRAIN = Duration.ofSeconds(10);

  private final String name;
  private final Function<Here, ServiceBinding> service;

  @Mixin private Place place = new Place();

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      required = true,
      description = "the address to serve calls at, port 0 for any")
  private String listen = "";

  @Option(names = "--http", description = "also speak HTTP and JSON at that port, with a page at /")
  private boolean http;

  private ServiceProgram(String name, Function<Here, ServiceBinding> service) {
    this.name = name;
    this.service = service;
  }

  /** Makes the channels of a service. */
  @FunctionalInterface
  interface Here {
    /** Returns a channel to all servers of another service. */
    Channel channel(String name);
  }

  /** Serves until the process is ended. Calls under way are then completed. */
  static void run(String name, Function<Here, ServiceBinding> service, String... args) {
    System.exit(command(name, service).execute(args));
  }

  static CommandLine command(String name, Function<Here, ServiceBinding> service) {
    return new CommandLine(new ServiceProgram(name, service)).setCommandName(name);
  }

  @Override
  public Integer call() throws InterruptedException {
    List<BalancedChannel> channels = new ArrayList<>();
    Watch watch = place.watch(name);
    VerbenaClient client = watch.client();
    VerbenaServer.Builder builder = watch.server().listen(listen);
    if (http) {
      builder.gateway(new HttpGateway());
    }
    VerbenaServer server =
        builder
            .serve(
                service.apply(
                    other -> {
                      channels.add(watch.channel(client, place.target(other), other));
                      return channels.getLast();
                    }))
            .drainTime(DRAIN)
            .closeOnShutdown()
            .start();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(server, watch)));
    place.register(server, name);
    System.out.println(name + " at " + server.address() + ", metrics at " + watch.page());
    server.awaitClose();
    channels.forEach(BalancedChannel::close);
    client.close();
    return 0;
  }

  /** Closes the server first: the last spans end with it, and are logged only then. */
  private static void end(VerbenaServer server, Watch watch) {
    try {
      server.awaitClose();
      watch.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
