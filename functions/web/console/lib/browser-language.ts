/**
 * Replaces an invalid `navigator.language`. In the locale POSIX, Chromium reports "en-US@posix", for which `Intl` throws a
 * RangeError.
 */
try {
  new Intl.Locale(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en-US" });
}
