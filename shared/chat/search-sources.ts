import type { Verdict } from "../guardrails/types.ts";
import { type KnowledgeHit, searchKnowledge } from "../knowledge/search/search-knowledge.ts";
import type { RunEvent, Source } from "../runs/events.ts";
import { checkedHits } from "./guardrail-checks.ts";
import type { Turn } from "./turn.ts";

/** Passages that one search gives, and that reach the model at most. */
const perSearch = 6;
const sourcesAtMost = 24;

/** A hit as it is shown: which passage, never all of it. */
function sourceOf({ chunk_id, title, collection_id, uri, score, snippet }: KnowledgeHit): Source {
  return { source_id: chunk_id, source_type: "document", title, collection_id, uri, score, snippet };
}

/** A persona that knows certain collections knows nothing else; to visitors, one that names none knows nothing. */
function collectionsOf({ persona, principal }: Turn): readonly string[] | undefined {
  const named = persona?.collection_ids ?? [];
  return named.length > 0 || principal.kind === "visitor" ? named : undefined;
}

/** What a search came to. */
export interface SearchOutcome {
  readonly shown: RunEvent;
  /** What the passages that are new to the turn were found to be. */
  readonly verdicts: readonly Verdict[];
  /** By which numbers the answer cites what was found. */
  readonly numbers: readonly number[];
}

/**
 * Searches what the asker may read, and adds to the turn's sources what is new among what was found.
 * @param atMost sources the turn may have afterwards
 */
export async function searchSources(turn: Turn, query: string, atMost = sourcesAtMost): Promise<SearchOutcome> {
  const hits = await searchKnowledge(turn.principal, {
    text: query,
    collectionIds: collectionsOf(turn),
    limit: perSearch,
  });
  const known = new Set(turn.sources.map(({ chunk_id }) => chunk_id));
  const fresh = hits.filter(({ chunk_id }) => !known.has(chunk_id)).slice(0, Math.max(0, atMost - turn.sources.length));
  const checked = await checkedHits(fresh);
  turn.sources.push(...checked.hits);
  const numberOf = new Map(turn.sources.map(({ chunk_id }, index) => [chunk_id, index + 1]));
  return {
    shown: { type: "search_transparency", data: { query, sources: hits.map(sourceOf) } },
    verdicts: checked.verdicts,
    numbers: hits.flatMap(({ chunk_id }) => numberOf.get(chunk_id) ?? []),
  };
}
