/** Parses headers in the form of `OTEL_EXPORTER_OTLP_HEADERS`: `name=value` pairs, separated by commas, URL-encoded. */
export function parseHeaders(text: string): Record<string, string> {
  const pairs = text.split(",").filter((pair) => pair.includes("="));
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = "", ...value] = pair.split("=");
      return [name.trim().toLowerCase(), decodeURIComponent(value.join("=").trim())];
    }),
  );
}
