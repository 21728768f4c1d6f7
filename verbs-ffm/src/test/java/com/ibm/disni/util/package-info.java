/**
 * Stand-ins, in front of DiSNI's own on the class path of tests, for the two helpers that programs
 * written for DiSNI call and that JDK 25 does not let run without flags or a native library.
 */
@NullMarked
package com.ibm.disni.util;

import org.jspecify.annotations.NullMarked;
