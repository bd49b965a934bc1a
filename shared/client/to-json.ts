/**
 * Serializes a value as JSON. Scripts of a page can add `toJSON` to arrays and strings, which would serialize them twice; the
 * original value takes precedence.
 */
export const toJson = (value: unknown): string =>
  JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, key) {
    return this[key];
  });
