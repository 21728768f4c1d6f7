package io.verbena.observe.micrometer;

/** Has bread only. */
class PlainShop implements Shop {
  @Override
  public long price(String article) {
    return article.length();
  }

  @Override
  public void buy(String article) throws SoldOut {
    if (!article.equals("bread")) {
      throw new SoldOut();
    }
  }

  @Override
  public void steal(String article) {
    throw new IllegalStateException("stop, thief");
  }
}
