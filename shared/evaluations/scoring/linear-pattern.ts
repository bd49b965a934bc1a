import { RE2JS, RE2JSException } from "re2js";

/** A pattern that cannot be matched in linear time, or is none. */
export class PatternError extends Error {
  override name = "PatternError";
}

/**
 * Compiles a regular expression to a function that finds it in a text in linear time. It has the syntax of RE2, which is
 * that of JavaScript without look-around and back references.
 * @see https://github.com/google/re2/wiki/Syntax
 * @throws PatternError
 */
export function compilePattern(source: string, ignoreCase: boolean): (text: string) => boolean {
  try {
    const pattern = RE2JS.compile(RE2JS.translateRegExp(source), ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    return (text) => pattern.test(text);
  } catch (error) {
    if (error instanceof RE2JSException) throw new PatternError(`must have the syntax of RE2: ${error.message}`);
    throw error;
  }
}
