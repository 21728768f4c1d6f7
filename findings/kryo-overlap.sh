#!/usr/bin/env bash
# Kryo 5.6.2: its own serializers of the JDK's classes lose what is seldom. The hour that clocks show twice comes back as its first pass, and a
# list of Stream.toList() with a null is refused, because it has the class of List.of.
set -euo pipefail
: "${JAVA_HOME:?must name JDK 25}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mvn -B -q -ntp org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy "-Dartifact=com.esotericsoftware.kryo:kryo5:5.6.2" "-DoutputDirectory=$work"
cat >"$work/Overlap.java" <<'JAVA'
import com.esotericsoftware.kryo.kryo5.Kryo;
import com.esotericsoftware.kryo.kryo5.io.Input;
import com.esotericsoftware.kryo.kryo5.io.Output;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Objects;
import java.util.stream.Stream;

class Overlap {
  public static void main(String[] arguments) {
    ZonedDateTime second = Instant.parse("2026-10-25T01:30:00Z").atZone(ZoneId.of("Europe/Berlin"));
    System.out.println(second + " -> " + copy(second));
    System.out.println("Stream.of(1, null, 3).toList() -> " + copy(Stream.of(1, null, 3).toList()));
  }

  private static Object copy(Object value) {
    Kryo kryo = new Kryo();
    kryo.setRegistrationRequired(false);
    Output output = new Output(64, -1);
    try {
      kryo.writeClassAndObject(output, value);
      return kryo.readClassAndObject(new Input(output.toBytes()));
    } catch (RuntimeException e) {
      return Objects.requireNonNullElse(e.getCause(), e).getClass().getSimpleName();
    }
  }
}
JAVA
seen=$("$JAVA_HOME/bin/java" -Dkryo.unsafe=false -cp "$work/kryo5-5.6.2.jar" "$work/Overlap.java")
echo "$seen"
[ "$seen" = "2026-10-25T02:30+01:00[Europe/Berlin] -> 2026-10-25T02:30+02:00[Europe/Berlin]
Stream.of(1, null, 3).toList() -> IllegalArgumentException" ] || { echo "this has changed" >&2; exit 1; }
