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
import io.verbena.core.NanoClock;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tells which pods of a service are ready, and watches its EndpointSlices. While the API server
 * cannot be reached, what it told last stays. With TLS, certificates must have the service's name:
 * {@code store.shop.svc} for {@code kubernetes:///shop/store:rpc}, or the channel's authority.
 */
public final class KubernetesResolver implements Resolver {
  static final String LABEL = "kubernetes.io/service-name";

  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final int FORBIDDEN = 403;

  private final Cluster cluster;
  private final ChannelTime time;

  /**
   * One thread, which leaves out what comes after the end. What is below is that thread's alone.
   */
  private final ExecutorService strand =
      new ThreadPoolExecutor(
          1,
          1,
          0,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          Thread.ofVirtual().name("verbena-kubernetes").factory(),
          new ThreadPoolExecutor.DiscardPolicy());

  private KubernetesTarget target;
  private @Nullable Listener listener;
  private Cluster.@Nullable Use use;
  private @Nullable SharedIndexInformer<EndpointSlice> informer;
  private Runnable withdrawPatience = () -> {};
  private boolean complete;
  private boolean toldPods;

  /**
   * A resolver with a client of the user's.
   *
   * @param client whoever made it closes it, after the channel
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
    strand.execute(() -> begin(listener));
  }

  /** Stops looking, and returns without waiting: what is left of it ends within seconds. */
  @Override
  public void close() {
    strand.execute(this::end);
    strand.shutdown();
  }

  private void begin(Listener told) {
    listener = told;
    Runnable impatient = () -> failed("the API server has not answered within 5 s");
    withdrawPatience = time.after(NanoClock.nanos(PATIENCE), () -> strand.execute(impatient));
    try {
      Cluster.Use begun = cluster.begin();
      use = begun;
      watch(begun.client());
    } catch (RuntimeException e) {
      failed(e.toString());
    }
  }

  private void watch(KubernetesClient client) {
    if (target.namespace().isEmpty()) {
      String own = client.getNamespace();
      if (own == null || own.isEmpty()) {
        failed("this is no pod: write kubernetes:///namespace/service:port");
        return;
      }
      target = target.in(own);
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
                  return true; // it is tried again, after 1 s to half a minute
                })
            .addEventHandler(new OnSlices());
    informer = watching;
    watching.start();
  }

  private void end() {
    withdrawPatience.run();
    if (informer != null) {
      informer.stop();
    }
    if (use != null) {
      use.end().run();
    }
  }

  /** Is called on the client's threads. */
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

  // ---- what is told ----

  private void tell() {
    if (!complete || informer == null || listener == null) {
      return;
    }
    withdrawPatience.run();
    Pods pods = Pods.of(informer.getStore().list(), target);
    List<Endpoint> ready = pods.ready();
    if (toldPods || !ready.isEmpty()) {
      listener.endpoints(ready);
    }
    toldPods = !ready.isEmpty();
    if (ready.isEmpty()) {
      listener.failed(pods.why());
    }
  }

  private void failed(String why) {
    withdrawPatience.run();
    if (listener != null) {
      listener.failed(
          "pods of service '%s' could not be looked up: %s".formatted(target.service(), why));
    }
  }

  private String reason(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof KubernetesClientException refused && refused.getCode() == FORBIDDEN) {
        return "Kubernetes refused that (403): the pod's service account needs a Role in namespace '%s' with the verbs get, list and watch of discovery.k8s.io endpointslices"
            .formatted(target.namespace());
      }
    }
    return failure.toString();
  }
}
