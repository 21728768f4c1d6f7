package io.verbena.spring.autoconfigure;

import io.verbena.api.ClientInterceptor;
import io.verbena.api.ServerInterceptor;
import io.verbena.api.SessionListener;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * The beans that server and client take alike: each end may make calls and serve them.
 *
 * @param handlers where handlers run; null: on virtual threads
 */
record EndBeans(
    List<ClientInterceptor> clientInterceptors,
    List<ServerInterceptor> serverInterceptors,
    List<SessionListener> listeners,
    @Nullable Executor handlers) {
  /** The name of the executor that handlers run on, where there is one. */
  static final String HANDLERS = "verbenaHandlers";

  /** Finds them, in their order. */
  static EndBeans of(ListableBeanFactory beans) {
    return new EndBeans(
        ordered(beans, ClientInterceptor.class),
        ordered(beans, ServerInterceptor.class),
        ordered(beans, SessionListener.class),
        beans.containsBean(HANDLERS) ? beans.getBean(HANDLERS, Executor.class) : null);
  }

  static <T> List<T> ordered(ListableBeanFactory beans, Class<T> type) {
    return beans.getBeanProvider(type).orderedStream().toList();
  }
}
