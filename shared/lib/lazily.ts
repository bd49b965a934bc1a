/**
 * Returns a function that creates a value on its first call. For values whose creation costs milliseconds at the start of
 * every function, such as locale data.
 */
export function lazily<Value extends object>(create: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= create();
    return value;
  };
}
