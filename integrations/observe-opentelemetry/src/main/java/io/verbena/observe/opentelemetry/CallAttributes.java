package io.verbena.observe.opentelemetry;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.verbena.api.Session;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.observe.Conventions;
import io.verbena.observe.Outcome;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The attributes of spans and measurements of calls that have ended. They are made once for each
 * outcome of a method's calls. Safe for use by any thread.
 */
final class CallAttributes {
  static final AttributeKey<String> SYSTEM = AttributeKey.stringKey(Conventions.SYSTEM);
  static final AttributeKey<String> METHOD = AttributeKey.stringKey(Conventions.METHOD);
  private static final AttributeKey<String> STATUS = AttributeKey.stringKey(Conventions.STATUS);
  private static final AttributeKey<String> ERROR = AttributeKey.stringKey(Conventions.ERROR_TYPE);
  private static final AttributeKey<String> PATH = AttributeKey.stringKey(Conventions.PATH);
  private static final AttributeKey<String> EXECUTION =
      AttributeKey.stringKey(Conventions.EXECUTION);

  private final boolean atCaller;
  private final Map<Ending, Attributes> known = new ConcurrentHashMap<>();

  private record Ending(MethodDescriptor<?> method, String path, Outcome outcome) {}

  /**
   * Makes an empty cache.
   *
   * @param atCaller whether the attributes include the call's execution
   */
  CallAttributes(boolean atCaller) {
    this.atCaller = atCaller;
  }

  Attributes of(MethodDescriptor<?> method, Session session, Outcome outcome) {
    Ending ending = new Ending(method, session.path().link(), outcome);
    Attributes told = known.get(ending);
    return told == null ? known.computeIfAbsent(ending, this::made) : told;
  }

  private Attributes made(Ending ending) {
    Outcome outcome = ending.outcome;
    AttributesBuilder all =
        Attributes.builder()
            .put(SYSTEM, Conventions.VERBENA)
            .put(METHOD, ending.method.fullName())
            .put(STATUS, outcome.status())
            .put(PATH, ending.path);
    String error = outcome.errorType();
    if (error != null) {
      all.put(ERROR, error);
    }
    if (atCaller) {
      all.put(EXECUTION, outcome.execution().name());
    }
    return all.build();
  }
}
