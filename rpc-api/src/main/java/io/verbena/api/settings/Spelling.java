package io.verbena.api.settings;

/** Compares a misspelt name with known names. Stateless and safe for use by any thread. */
public final class Spelling {
  private Spelling() {}

  /**
   * Returns the number of letters to change, add or remove to turn one name into the other
   * (Levenshtein). The time is proportional to the product of both lengths.
   */
  public static int distance(String from, String to) {
    int[] row = new int[to.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int changed = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(changed, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[to.length()];
  }
}
