package io.verbena.codec.kryo;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.serializers.DefaultSerializers.UUIDSerializer;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Classes of the JDK that values commonly hold. Some have no name that a user could write. The
 * index in the list gives the id: add new classes at the end, and stay below {@link
 * StrictKryo#FIRST_ID}.
 */
final class JdkClasses {
  /** The first id after Kryo's own, which are for primitives, their boxes and strings. */
  private static final int FIRST_ID = 10;

  private static final List<Class<?>> IN_ORDER =
      List.of(
          boolean[].class,
          byte[].class,
          short[].class,
          char[].class,
          int[].class,
          long[].class,
          float[].class,
          double[].class,
          String[].class,
          Object[].class,
          ArrayList.class,
          LinkedList.class,
          ArrayDeque.class,
          HashSet.class,
          LinkedHashSet.class,
          TreeSet.class,
          HashMap.class,
          LinkedHashMap.class,
          TreeMap.class,
          Arrays.asList().getClass(),
          List.of().getClass(),
          List.of(1).getClass(),
          List.of(1, 2, 3).subList(0, 2).getClass(),
          Set.of().getClass(),
          Set.of(1).getClass(),
          Map.of().getClass(),
          Map.of(1, 1).getClass(),
          Collections.emptyList().getClass(),
          Collections.emptySet().getClass(),
          Collections.emptyMap().getClass(),
          Optional.class,
          BigInteger.class,
          BigDecimal.class,
          UUID.class,
          Duration.class,
          Instant.class,
          LocalDate.class,
          LocalTime.class,
          LocalDateTime.class,
          OffsetDateTime.class,
          ZonedDateTime.class);

  private JdkClasses() {}

  static void register(Kryo kryo) {
    kryo.addDefaultSerializer(UUID.class, new UUIDSerializer());
    for (int i = 0; i < IN_ORDER.size(); i++) {
      kryo.register(IN_ORDER.get(i), FIRST_ID + i);
    }
  }
}
