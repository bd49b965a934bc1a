import { type KnowledgeHit, searchKnowledge } from "../search/search-knowledge.ts";
import type { RunEvent, Source } from "./events.ts";
import { loadGuardrail, type Verdict } from "./guardrails/guardrail.ts";
import type { Turn } from "./turn.ts";

/** Passages that one search gives, and that reach the model at most. */
const perSearch = 6;
const sourcesAtMost = 24;

/** What stands for a title that is none. */
const untitled = "Untitled";

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
  const guardrail = await loadGuardrail();
  const hits = await searchKnowledge(turn.principal, {
    text: query,
    collectionIds: collectionsOf(turn),
    limit: perSearch,
  });
  const known = new Set(turn.sources.map(({ chunk_id }) => chunk_id));
  const fresh = hits.filter(({ chunk_id }) => !known.has(chunk_id)).slice(0, Math.max(0, atMost - turn.sources.length));
  const check = (text: string) => guardrail.check({ stage: "retrieval", text });
  const names = [...new Set(fresh.map(({ title }) => title))];
  const [verdicts, titles] = await Promise.all([
    Promise.all(fresh.map(({ text }) => check(text))),
    Promise.all(names.map(check)),
  ]);
  for (const [index, found] of fresh.entries()) {
    const { action, text } = verdicts[index] as Verdict;
    // The model reads titles as well, and in a line there is no room to say what is to be thought of one.
    const hit = titles[names.indexOf(found.title)]?.action === "allow" ? found : { ...found, title: untitled };
    if (action === "allow") turn.sources.push(hit);
    // A quote must stand in its source word for word: of what was changed, nothing is quoted.
    else if (action === "redact") turn.sources.push({ ...hit, text, snippet: "" });
  }
  const numberOf = new Map(turn.sources.map(({ chunk_id }, index) => [chunk_id, index + 1]));
  return {
    shown: { type: "search_transparency", data: { query, sources: hits.map(sourceOf) } },
    verdicts: [...verdicts, ...titles],
    numbers: hits.flatMap(({ chunk_id }) => numberOf.get(chunk_id) ?? []),
  };
}
