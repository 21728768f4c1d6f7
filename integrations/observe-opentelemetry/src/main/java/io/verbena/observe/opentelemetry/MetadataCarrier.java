package io.verbena.observe.opentelemetry;

import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapSetter;
import io.verbena.api.Metadata;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Metadata in the form that propagators read and write: each field is a text key in lower case. */
final class MetadataCarrier {
  static final TextMapSetter<MetadataCarrier> SETTER =
      (carrier, field, value) -> {
        if (carrier != null) {
          carrier.set(field, value);
        }
      };

  static final TextMapGetter<Metadata> GETTER =
      (metadata, field) -> metadata == null ? null : metadata.get(key(field));

  private static final int MOST_BYTES_OF_A_CHAR = 3;

  /** A propagator has few fields, and always the same. */
  private static final Map<String, Metadata.Key<String>> KEYS = new ConcurrentHashMap<>();

  private static Metadata.Key<String> key(String field) {
    return KEYS.computeIfAbsent(field, name -> Metadata.Key.text(name.toLowerCase(Locale.ROOT)));
  }

  private Metadata metadata;

  MetadataCarrier(Metadata metadata) {
    this.metadata = metadata;
  }

  /** Returns the metadata with all fields set so far. */
  Metadata metadata() {
    return metadata;
  }

  /**
   * Leaves out a field that does not fit into a message, because no call may fail for its trace.
   */
  private void set(String field, String value) {
    boolean mayBeTooLong = value.length() > Metadata.MAX_BYTES / MOST_BYTES_OF_A_CHAR;
    if (mayBeTooLong && value.getBytes(StandardCharsets.UTF_8).length > Metadata.MAX_BYTES) {
      return;
    }
    Metadata more = metadata.with(key(field), value);
    if (more.byteSize() <= Metadata.MAX_BYTES && more.size() <= Metadata.MAX_ENTRIES) {
      metadata = more;
    }
  }
}
