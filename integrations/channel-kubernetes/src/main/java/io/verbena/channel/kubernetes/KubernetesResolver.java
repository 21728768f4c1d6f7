package io.verbena.channel.kubernetes;

import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.verbena.api.settings.Checks;
import io.verbena.channel.ChannelTime;
import io.verbena.channel.Endpoint;
import io.verbena.channel.Resolver;
import io.verbena.core.loop.SequentialExecutor;
import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.OwnThreads;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Finds the ready pods of a service, and watches its EndpointSlices. While the API server is out of
 * reach, the last pods stay. With TLS, certificates must have the service's name, such as {@code
 * store.shop.svc} for {@code kubernetes:///shop/store:rpc}, or the channel's authority.
 */
public final class KubernetesResolver implements Resolver {
  static final String LABEL = "kubernetes.io/service-name";

  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final int FORBIDDEN = 403;

  private final Cluster cluster;
  private final ChannelTime time;

  private final Executor threads = OwnThreads.rarelyUsed("verbena-kubernetes", 1);
  private volatile @Nullable Listener listener;

  /** The fields below belong to its tasks. */
  private final SequentialExecutor strand =
      new SequentialExecutor(this::onAThread, thrown -> failed(thrown.toString()));

  private KubernetesTarget target;
  private Cluster.@Nullable Use use;
  private @Nullable SharedIndexInformer<EndpointSlice> informer;
  private Runnable withdrawPatience = () -> {};
  private Runnable withdrawAgain = () -> {};
  private boolean complete;
  private boolean toldPods;

  /**
   * Makes a resolver with a user's client.
   *
   * @param client its owner closes it, after the channel
   * @param target {@code kubernetes:///namespace/service:port}
   * @throws IllegalArgumentException if the target is malformed
   */
  public KubernetesResolver(KubernetesClient client, String target) {
    this(
        KubernetesTarget.of(URI.create(Checks.required("target", target))),
        Cluster.given(Checks.required("client", client)),
        ChannelTime.SYSTEM);
  }

  KubernetesResolver(KubernetesTarget target, Cluster cluster, ChannelTime time) {
    this.target = target;
    this.cluster = cluster;
    this.time = time;
  }

  @Override
  public void start(Listener listener) {
    this.listener = listener;
    strand.execute(this::begin);
  }

  /** Stops looking; returns without waiting. The rest of its work ends within seconds. */
  @Override
  public void close() {
    strand.close(this::end);
  }

  private void onAThread(Runnable tasks) {
    OwnThreads.persistently(
        threads,
        tasks,
        noThread -> tellFailed(noThread.toString()),
        again -> time.after(NanoClock.nanos(PATIENCE), again));
  }

  private Runnable later(Runnable task) {
    return time.after(NanoClock.nanos(PATIENCE), () -> strand.execute(task));
  }

  private void begin() {
    withdrawPatience = later(() -> failed("the API server has not answered within 5 s"));
    look();
  }

  private void look() {
    try {
      Cluster.Use begun = use == null ? cluster.begin() : use;
      use = begun;
      watch(begun.client());
    } catch (Throwable e) { // the client may fail to start its threads
      failed(e.toString());
      withdrawAgain = later(this::look);
    }
  }

  private void watch(KubernetesClient client) {
    if (target.namespace().isEmpty()) {
      String own = client.getNamespace();
      if (own == null || own.isEmpty()) {
        failed("this process does not run in a pod: write kubernetes:///namespace/service:port");
        return;
      }
      target = target.in(own);
    }
    if (informer != null) {
      informer.stop();
    }
    SharedIndexInformer<EndpointSlice> watching =
        client
            .discovery()
            .v1()
            .endpointSlices()
            .inNamespace(target.namespace())
            .withLabel(LABEL, target.service())
            .runnableInformer(0)
            .exceptionHandler(
                (started, failure) -> {
                  strand.execute(() -> failed(reason(failure)));
                  return true; // try again, after 1 s to half a minute
                })
            .addEventHandler(new OnSlices());
    informer = watching;
    watching.start();
  }

  private void end() {
    withdrawPatience.run();
    withdrawAgain.run();
    if (informer != null) {
      informer.stop();
    }
    if (use != null) {
      use.end().run();
    }
  }

  /** Called on the client's threads. */
  private final class OnSlices implements ResourceEventHandler<EndpointSlice> {
    @Override
    public void onList(String version, boolean remainedEmpty) {
      strand.execute(
          () -> {
            complete = true;
            tell();
          });
    }

    @Override
    public void onAdd(EndpointSlice slice) {
      strand.execute(KubernetesResolver.this::tell);
    }

    @Override
    public void onUpdate(EndpointSlice before, EndpointSlice slice) {
      strand.execute(KubernetesResolver.this::tell);
    }

    @Override
    public void onDelete(EndpointSlice slice, boolean lastStateUnknown) {
      strand.execute(KubernetesResolver.this::tell);
    }
  }

  // ---- reports ----

  private void tell() {
    Listener told = listener;
    if (!complete || informer == null || told == null) {
      return;
    }
    withdrawPatience.run();
    Pods pods = Pods.of(informer.getStore().list(), target);
    List<Endpoint> ready = pods.ready();
    if (toldPods || !ready.isEmpty()) {
      told.endpoints(ready);
    }
    toldPods = !ready.isEmpty();
    if (ready.isEmpty()) {
      told.failed(pods.why());
    }
  }

  private void failed(String why) {
    withdrawPatience.run();
    tellFailed(why);
  }

  private void tellFailed(String why) {
    Listener told = listener;
    if (told != null) {
      told.failed(
          "pods of service '%s' could not be looked up: %s".formatted(target.service(), why));
    }
  }

  private String reason(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof KubernetesClientException refused && refused.getCode() == FORBIDDEN) {
        return "Kubernetes refused the request (403): the pod's service account needs a Role in namespace '%s' with the verbs get, list and watch of discovery.k8s.io endpointslices"
            .formatted(target.namespace());
      }
    }
    return failure.toString();
  }
}
