/**
 * Replaces an invalid `navigator.language`. Chromium reports "en-US@posix" in the locale POSIX, for which `Intl` and
 * libraries that use it throw a RangeError.
 */
try {
  new Intl.Locale(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en-US" });
}
