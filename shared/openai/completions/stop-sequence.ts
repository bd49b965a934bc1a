/** Returns the stop sequence that a provider names; null if it names none. */
export function findStopSequence({ stop_reason, matched_stop }: Readonly<Record<string, unknown>>): string | null {
  const sequence = stop_reason ?? matched_stop;
  return typeof sequence === "string" ? sequence : null;
}
