import type { Hypothesis, InvestigationResult, NextStep, Verdict } from "../api/investigations/investigations.ts";
import type { FindingsReport } from "./findings.ts";
import type { RecordedObservation } from "./record-store.ts";

type Claim = FindingsReport["hypotheses"][number];

/** Result of judging the claims of a model by rules. */
export interface Judgement extends Pick<InvestigationResult, "verdict" | "cause" | "hypotheses" | "discarded"> {
  readonly next_steps: NextStep[];
}

/**
 * Maximum confidence of a claim by its evidence: without tool results, with results of one tool call, and with results
 * of several calls.
 */
const [UNTESTED_CAP, SINGLE_CAP, INDEPENDENT_CAP] = [0.3, 0.6, 0.95];

/** Minimum confidence of a confirmed cause, and of a probable one. */
const [CONFIRMED, PROBABLE] = [0.7, 0.4];

/** Minimum difference between the confidence of the cause and that of the next hypothesis. */
const MARGIN = 0.15;

/** Minimum length of a quotation. A shorter one, such as a single digit, occurs in nearly every text. */
const MIN_QUOTE_CHARACTERS = 8;

/** Normalizes a text for comparisons: lower case, single spaces, without the escapes of JSON. */
const toComparable = (text: string) =>
  text
    .replaceAll(/\\[nrt]/g, " ")
    .replaceAll('\\"', '"')
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();

/**
 * Returns the specific words of a text, which a claim must not invent: numbers, and names with digits or underscores,
 * such as `v2.14.1` or `db_pool`.
 */
const findSpecifics = (text: string) =>
  (toComparable(text).match(/[\p{L}\p{N}][\p{L}\p{N}._:/-]*[\p{L}\p{N}]|\p{N}/gu) ?? []).filter((word) =>
    /\p{N}|[\p{L}\p{N}]_[\p{L}\p{N}]/u.test(word),
  );

const roundTo2 = (value: number) => Math.round(value * 100) / 100;

/**
 * Checks one claim against its evidence.
 * @returns the hypothesis with limited confidence, or the reason why it is discarded
 */
function checkClaim(claim: Claim, observations: ReadonlyMap<string, RecordedObservation>): Hypothesis | string {
  const known = claim.evidence.filter(({ observation }) => observations.has(observation));
  if (known.length === 0) return "It names no observation that exists.";
  if (known.length < claim.evidence.length) return "It names an observation that does not exist.";
  const textOf = (id: string) => toComparable(observations.get(id)?.text ?? "");
  const isQuoted = ({ observation, quote }: Claim["evidence"][number]) => {
    const text = toComparable(quote);
    return text.length >= MIN_QUOTE_CHARACTERS && textOf(observation).includes(text);
  };
  if (!known.every(isQuoted)) return "A quotation is not in its observation word for word.";
  if (known.some(({ observation }) => observations.get(observation)?.is_failed)) {
    return "It rests on a call that failed.";
  }
  const texts = known.map(({ observation }) => textOf(observation)).join("\n");
  const missing = findSpecifics(claim.claim).find((word) => !texts.includes(word));
  if (missing) return `No observation that it names contains ${missing}.`;
  const tools = new Set(
    known.map(({ observation }) => observation).filter((id) => observations.get(id)?.kind === "tool"),
  );
  const cap = tools.size === 0 ? UNTESTED_CAP : tools.size === 1 ? SINGLE_CAP : INDEPENDENT_CAP;
  const outcome = tools.size === 0 && claim.outcome !== "untested" ? "untested" : claim.outcome;
  return { ...claim, outcome, confidence: roundTo2(Math.min(claim.confidence, cap)) };
}

/**
 * Returns the verdict: the supported hypothesis with the highest confidence if that is at least `PROBABLE` and clearly
 * ahead of the next one, or else `inconclusive`.
 */
function findVerdict(hypotheses: readonly Hypothesis[]): { verdict: Verdict; cause: string | null } {
  const [best, second] = hypotheses
    .filter(({ outcome }) => outcome === "supported")
    .sort((a, b) => b.confidence - a.confidence);
  const isClear = best && best.confidence - (second?.confidence ?? 0) >= MARGIN;
  if (!isClear || best.confidence < PROBABLE) return { verdict: "inconclusive", cause: null };
  return { verdict: best.confidence >= CONFIRMED ? "confirmed" : "probable", cause: best.claim };
}

/**
 * Returns the next steps whose command and links occur in the observation that they name. Others are dropped, because a
 * malicious alert could make the model write a link that sends data to a host.
 */
function checkSteps(steps: FindingsReport["next_steps"], observations: ReadonlyMap<string, RecordedObservation>) {
  return steps.flatMap(({ text, observation, command, link }): NextStep[] => {
    const source = observations.get(observation)?.text;
    if (source === undefined) return [];
    const isContained = (part: string | null) => part === null || toComparable(source).includes(toComparable(part));
    const linksInText = text.match(/\bhttps?:\/\/\S+/gi) ?? [];
    return [command, link, ...linksInText].every(isContained) ? [{ text, command, link, observation }] : [];
  });
}

/**
 * Judges the claims of a model by rules. A claim is kept only if its evidence names existing observations and quotes
 * them literally, and if these contain all numbers and specific names of the claim. The verdict follows from the kept
 * claims.
 */
export function judge(report: FindingsReport | null, recorded: readonly RecordedObservation[]): Judgement {
  const observations = new Map(recorded.map((observation) => [observation.id, observation]));
  const hypotheses: Hypothesis[] = [];
  const discarded: { claim: string; reason: string }[] = [];
  for (const claim of report?.hypotheses ?? []) {
    const checked = checkClaim(claim, observations);
    if (typeof checked === "string") discarded.push({ claim: claim.claim, reason: checked });
    else hypotheses.push(checked);
  }
  hypotheses.sort((a, b) => b.confidence - a.confidence);
  return {
    ...findVerdict(hypotheses),
    hypotheses,
    discarded,
    next_steps: checkSteps(report?.next_steps ?? [], observations),
  };
}
