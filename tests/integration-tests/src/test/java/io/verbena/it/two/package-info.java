/**
 * Sessions between two machines, the link between which breaks. Tests run on machine a of a
 * laboratory of two; a server runs on machine b.
 */
package io.verbena.it.two;
