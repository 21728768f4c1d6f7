package io.verbena.codec.kryo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.codec.kryo.Drawing.Group;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.commons.math3.stat.descriptive.SummaryStatistics;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls whose arguments and results Kryo writes, by generated stubs over links. */
class ServiceTest {
  /** Hands back what it is given. */
  static final class Mirror implements Gallery {
    @Override
    public Drawing hang(Drawing drawing) {
      return drawing;
    }

    @Override
    public SummaryStatistics pick(List<SummaryStatistics> days, int day) {
      return days.get(day);
    }
  }

  static void withGallery(String address, BiConsumer<Session, Gallery> use) {
    try (VerbenaServer server =
            VerbenaServer.builder().listen(address).serve(GalleryRpc.bind(new Mirror())).start();
        VerbenaClient client = VerbenaClient.builder().build();
        Session session = client.connect(server.address().toString())) {
      use.accept(session, GalleryRpc.client(session));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"mem://gallery:0", "127.0.0.1:0"})
  void carryGraphsAndClassesOfOtherLibraries(String address) {
    withGallery(
        address,
        (session, gallery) -> {
          Drawing back = gallery.hang(Drawing.sample());
          assertThat(back).usingRecursiveComparison().isEqualTo(Drawing.sample());

          SummaryStatistics quiet = new SummaryStatistics();
          SummaryStatistics busy = new SummaryStatistics();
          List.of(1.5, 2.5, 40.0).forEach(busy::addValue);
          SummaryStatistics read = gallery.pick(List.of(quiet, busy), 1);
          assertThat(read).isEqualTo(busy);
          read.addValue(7);
          busy.addValue(7);
          assertThat(read.getVariance()).isEqualTo(busy.getVariance());
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"mem://gallery:0", "127.0.0.1:0"})
  void failAloneForWhatIsNotRegistered(String address) {
    withGallery(
        address,
        (session, gallery) -> {
          Drawing drawing = new Drawing();
          drawing.shapes.add(new Drawing.Stranger());
          assertThatThrownBy(() -> gallery.hang(drawing))
              .isInstanceOfSatisfying(
                  RpcException.class,
                  e -> assertThat(e.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT))
              .hasMessageContaining("is not registered with DrawingSerializer");
          assertThat(gallery.hang(Drawing.sample()).shapes).hasSize(2);
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"mem://gallery:0", "127.0.0.1:0"})
  void carryGraphsThatAreTooLargeForAMessage(String address) {
    withGallery(
        address,
        (session, gallery) -> {
          Drawing drawing = new Drawing();
          Group group = new Group();
          group.members = new Drawing.Shape[50_000];
          java.util.Arrays.setAll(group.members, i -> new Drawing.Circle());
          drawing.shapes.add(group);
          Drawing back = gallery.hang(drawing);
          assertThat(((Group) back.shapes.getFirst()).members).hasSize(50_000);
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"mem://gallery:0", "127.0.0.1:0"})
  void areRefusedBeforeTheyAreSentWhereTheOtherEndListsOtherClasses(String address) {
    ShuffledGallery shuffled =
        new ShuffledGallery() {
          @Override
          public Drawing hang(Drawing drawing) {
            throw new AssertionError("another class would have been made of its bytes");
          }

          @Override
          public SummaryStatistics pick(List<SummaryStatistics> days, int day) {
            return days.get(day);
          }
        };
    try (VerbenaServer server =
            VerbenaServer.builder()
                .listen(address)
                .serve(ShuffledGalleryRpc.bind(shuffled))
                .start();
        VerbenaClient client = VerbenaClient.builder().build();
        Session session = client.connect(server.address().toString())) {
      Gallery gallery = GalleryRpc.client(session);
      assertThatThrownBy(() -> gallery.hang(Drawing.sample()))
          .isInstanceOfSatisfying(
              RpcException.class, e -> assertThat(e.status()).isEqualTo(RpcStatus.INCOMPATIBLE))
          .hasMessageContaining("Drawing$Circle");
      assertThat(gallery.pick(List.of(new SummaryStatistics()), 0).getN()).isZero();
    }
  }
}
