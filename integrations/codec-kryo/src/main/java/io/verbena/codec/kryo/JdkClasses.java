package io.verbena.codec.kryo;

import com.esotericsoftware.kryo.kryo5.Kryo;
import com.esotericsoftware.kryo.kryo5.serializers.DefaultSerializers.UUIDSerializer;
import io.verbena.codec.kryo.JdkSerializers.OfConstant;
import io.verbena.codec.kryo.JdkSerializers.OfEnumMap;
import io.verbena.codec.kryo.JdkSerializers.OfEnumSet;
import io.verbena.codec.kryo.JdkSerializers.OfImmutableList;
import io.verbena.codec.kryo.JdkSerializers.OfZonedDateTime;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
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
          ZonedDateTime.class,
          EnumSet.class,
          EnumMap.class,
          Collections.singletonList(1).getClass(),
          Collections.singleton(1).getClass(),
          Collections.singletonMap(1, 1).getClass(),
          Period.class,
          OffsetTime.class,
          YearMonth.class,
          ZoneOffset.class,
          ZoneId.of("Europe/Berlin").getClass(),
          Comparator.naturalOrder().getClass(),
          Comparator.reverseOrder().getClass(),
          String.CASE_INSENSITIVE_ORDER.getClass());

  private JdkClasses() {}

  static void register(Kryo kryo) {
    kryo.addDefaultSerializer(UUID.class, new UUIDSerializer());
    kryo.addDefaultSerializer(ZonedDateTime.class, new OfZonedDateTime());
    kryo.addDefaultSerializer(EnumSet.class, new OfEnumSet());
    kryo.addDefaultSerializer(EnumMap.class, new OfEnumMap());
    for (List<Integer> list : List.of(List.of(1), List.of(1, 2, 3), List.of(1, 2).subList(0, 1))) {
      kryo.addDefaultSerializer(list.getClass(), new OfImmutableList());
    }
    for (Comparator<?> one :
        List.of(
            Comparator.<String>naturalOrder(),
            Comparator.<String>reverseOrder(),
            String.CASE_INSENSITIVE_ORDER)) {
      kryo.addDefaultSerializer(one.getClass(), new OfConstant<>(one));
    }
    for (int i = 0; i < IN_ORDER.size(); i++) {
      kryo.register(IN_ORDER.get(i), FIRST_ID + i);
    }
  }
}
