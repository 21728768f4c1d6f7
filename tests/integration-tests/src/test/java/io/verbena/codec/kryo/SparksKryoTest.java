package io.verbena.codec.kryo;

import static org.assertj.core.api.Assertions.assertThat;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Spark's Kryo, of another version and with the packages of Kryo's own, on the same class path. */
class SparksKryoTest {
  @Test
  void worksBesideOurs() throws Exception {
    assertThat(Kryo.class.getProtectionDomain().getCodeSource().getLocation().getPath())
        .contains("kryo-shaded-4.0.2");
    Kryo sparks = new Kryo();
    List<String> value = new ArrayList<>(List.of("a", "b"));
    Output output = new Output(64, -1);
    sparks.writeObject(output, value);
    Object read = sparks.readObject(new Input(output.toBytes()), ArrayList.class);
    assertThat(read).isEqualTo(value);
    assertThat(Encoded.copy(new KryoSerializerTest.Anything(), value)).isEqualTo(value);
    assertThat(Encoded.copy(new DrawingSerializer(), Drawing.sample()).shapes).hasSize(2);
  }
}
