package library;

/** Its constants may have been declared in any order: some compilers sort those of class files. */
public enum Colour {
  AMBER,
  GREEN,
  RED
}
