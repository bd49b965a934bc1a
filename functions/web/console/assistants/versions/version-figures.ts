import { useResource } from "../../lib/data.ts";
import { upTo } from "../../lib/lists.ts";
import { api, can } from "../../session/session.ts";

/** Use of one version in the last 30 days, and its ratings among the latest 1,000 of the persona. */
export interface VersionFigures {
  readonly requests: number;
  readonly cost_usd: number;
  readonly total_tokens: number;
  readonly up: number;
  readonly down: number;
}

const none: VersionFigures = { requests: 0, cost_usd: 0, total_tokens: 0, up: 0, down: 0 };

async function loadFigures(personaId: string): Promise<ReadonlyMap<number, VersionFigures>> {
  const [{ usage }, feedback] = await Promise.all([
    api.GET("/v1/usage", { params: { query: { group_by: "persona,persona_version" } } }),
    upTo(api.list("/v1/feedback", { params: { query: { persona_id: personaId, limit: 100 } } })),
  ]);
  const figures = new Map<number, VersionFigures>();
  const add = (version: number | null | undefined, change: (figures: VersionFigures) => Partial<VersionFigures>) => {
    if (version == null) return;
    const before = figures.get(version) ?? none;
    figures.set(version, { ...before, ...change(before) });
  };
  for (const { persona_id, persona_version, requests, cost_usd, total_tokens } of usage) {
    if (persona_id === personaId) add(persona_version, () => ({ requests, cost_usd, total_tokens }));
  }
  for (const { rating, persona_version } of feedback) {
    if (rating) add(persona_version, (before) => ({ [rating]: before[rating] + 1 }));
  }
  return figures;
}

/**
 * Loads the figures of the versions of a persona. Returns null without the right to see usage. Until the figures are there, all are
 * 0, so that what shows them has its size from the beginning.
 */
export function useVersionFigures(personaId: string): ((version: number) => VersionFigures) | null {
  const key = can("usage.read") ? `persona:${personaId}:figures` : null;
  const { value } = useResource(key, () => loadFigures(personaId));
  return key === null ? null : (version) => value?.get(version) ?? none;
}
