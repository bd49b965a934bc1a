/** Returns the stop sequence that ended an answer; null if the provider does not name it. */
export function findStopSequence({ stop_reason, matched_stop }: Readonly<Record<string, unknown>>): string | null {
  const sequence = stop_reason ?? matched_stop;
  return typeof sequence === "string" ? sequence : null;
}
