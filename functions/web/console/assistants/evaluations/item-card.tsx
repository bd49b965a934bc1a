import { useState } from "preact/hooks";
import type { TestColumn, TestResult } from "../../../../../shared/api/evaluations/test-runs.ts";
import { describeCode } from "../../lib/codes/server-texts.ts";
import { formatCost } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { Button } from "../../ui/buttons.tsx";
import { Badge } from "../../ui/status.tsx";
import { TextDifference } from "../versions/text-difference-view.tsx";
import { expectationTexts } from "./expectation-drafts.ts";
import { Facts } from "./facts.tsx";
import { compareWithFirst, type ItemResults, type ItemVerdict } from "./item-results.ts";
import { formatSeconds, formatShare, nameColumn } from "./run-texts.ts";

const verdictTexts = (): Readonly<Record<ItemVerdict, readonly [text: string, kind: "success" | "danger" | ""]>> => ({
  better: [t("better"), "success"],
  worse: [t("worse"), "danger"],
  same: [t("same"), ""],
});

/** Length of an answer up to which it is shown whole. */
const MAX_SHOWN_LENGTH = 600;

/** Expectations of an item, and whether an answer fulfills them. */
function Scores({ scores }: { readonly scores: TestResult["scores"] }) {
  const texts: Readonly<Record<string, string>> = expectationTexts();
  return (
    <ul class="chips">
      {scores.map(({ type, passed, detail }, index) => (
        <li key={index}>
          <Badge kind={passed ? "success" : "danger"}>
            <span aria-hidden="true">{passed ? "✓" : "✗"}</span>{" "}
            <span class="visually-hidden">{passed ? t("Fulfilled:") : t("Not fulfilled:")}</span>
            {texts[type] ?? type}
          </Badge>
          {detail && <span class="muted small"> {detail}</span>}
        </li>
      ))}
    </ul>
  );
}

/** Text of an answer, of which a long one is cut until the user wants all, or its differences to that of the first column. */
function AnswerText({
  text,
  before,
  isOpen,
}: {
  readonly text: string;
  readonly before: string | null;
  readonly isOpen: boolean;
}) {
  if (before !== null) return <TextDifference before={before} after={text} />;
  const isCut = !isOpen && text.length > MAX_SHOWN_LENGTH;
  return (
    <p class="long-text small" dir="auto">
      {isCut ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text || "–"}
    </p>
  );
}

/** Answer of one column. */
function ColumnResult({
  name,
  result,
  verdict,
  before,
  isOpen,
}: {
  readonly name: string;
  readonly result: TestResult | null;
  readonly verdict: ItemVerdict | null;
  /** Text of the first column, to show the differences; null to show the answer itself. */
  readonly before: string | null;
  readonly isOpen: boolean;
}) {
  const [verdictText, kind] = verdict ? verdictTexts()[verdict] : [];
  return (
    <li class="stack tight">
      <div class="row wrap">
        <strong class="break">{name}</strong>
        {verdictText && <Badge kind={kind}>{verdictText}</Badge>}
      </div>
      {result === null && <p class="muted small">{t("No answer yet")}</p>}
      {result && (
        <>
          {result.error ? (
            <p class="notice danger small">{describeCode(result.error)}</p>
          ) : (
            <AnswerText text={result.text} before={before} isOpen={isOpen} />
          )}
          {result.tool_calls.length > 0 && (
            <p class="muted small break">
              {t("Called: {tools}", { tools: result.tool_calls.map(({ tool }) => tool).join(", ") })}
            </p>
          )}
          {result.scores.length > 0 && <Scores scores={result.scores} />}
          <Facts
            facts={[
              t("Score {score}", { score: formatShare(result.score) }),
              formatSeconds(result.duration_ms),
              ...(result.usage?.cost_usd == null ? [] : [formatCost(result.usage.cost_usd)]),
            ]}
          />
        </>
      )}
    </li>
  );
}

/** Question of an item, and the answers of the columns side by side. */
export function ItemCard({ item, columns }: { readonly item: ItemResults; readonly columns: readonly TestColumn[] }) {
  const [isOpen, setOpen] = useState(false);
  const [hasDifferences, setDifferences] = useState(false);
  const { question, source, results } = item;
  const [first, ...others] = results;
  const canOpen = results.some((result) => (result?.text.length ?? 0) > MAX_SHOWN_LENGTH);
  const canCompare = Boolean(first?.text) && others.some((result) => result && result.text !== first?.text);
  return (
    <article class="card stack">
      <h3 class="clamp" dir="auto">
        {question}
      </h3>
      <ul class="side-by-side">
        {columns.map((column, index) => (
          <ColumnResult
            key={index}
            name={nameColumn(column)}
            result={results[index] ?? null}
            verdict={compareWithFirst(item, index)}
            before={hasDifferences && index > 0 ? (first?.text ?? null) : null}
            isOpen={isOpen}
          />
        ))}
      </ul>
      <div class="row wrap">
        {canOpen && (
          <Button isSmall kind="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? t("Show less") : t("Show all of the answers")}
          </Button>
        )}
        {canCompare && (
          <Button isSmall kind="quiet" aria-pressed={hasDifferences} onClick={() => setDifferences(!hasDifferences)}>
            {t("Show differences")}
          </Button>
        )}
        {source && (
          <a class="small" href={`/console/chat/${source.conversation_id}?message=${source.message_id}`}>
            {t("Answer that it is from")}
          </a>
        )}
      </div>
    </article>
  );
}
