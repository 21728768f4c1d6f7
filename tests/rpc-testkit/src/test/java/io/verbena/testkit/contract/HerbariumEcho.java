package io.verbena.testkit.contract;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Answers with what it is given. */
public class HerbariumEcho implements Herbarium {
  @Override
  public Numbers numbers(Numbers value) {
    return value;
  }

  @Override
  public Times times(Times value) {
    return value;
  }

  @Override
  public Exact exact(Exact value) {
    return value;
  }

  @Override
  public Sheet sheet(Sheet value) {
    return value;
  }

  @Override
  public Plant plant(Plant value) throws Wilted, Unknown {
    return value;
  }

  @Override
  public Taxon<String> taxon(Taxon<String> value) {
    return value;
  }

  @Override
  public Label label(Label value) {
    return value;
  }

  @Override
  public Map<String, List<@Nullable Leaf>> index(Map<String, List<@Nullable Leaf>> value) {
    return value;
  }

  @Override
  public byte[] scan(byte[] value) {
    return value;
  }

  @Override
  public @Nullable String name(@Nullable String value) {
    return value;
  }

  @Override
  public int[][] grid(int[][] value) {
    return value;
  }

  @Override
  public void note(String text, Optional<Colour> colour) {}
}
