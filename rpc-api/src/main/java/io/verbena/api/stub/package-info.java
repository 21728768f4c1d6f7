/**
 * What generated code and the core say to each other. Users see these types pass by and need not
 * call them.
 */
@NullMarked
package io.verbena.api.stub;

import org.jspecify.annotations.NullMarked;
