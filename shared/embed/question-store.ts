import * as v from "valibot";
import { VisitorQuestion } from "../api/embed/visitors.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import { listPage, mapPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import { requireItem } from "../dynamodb/required-item.ts";
import {
  allOf,
  anyOf,
  differs,
  equals,
  type Item,
  ignoreConditionFailed,
  lacksAttribute,
  lessThan,
} from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { toContentWords } from "../knowledge/search/content-words.ts";
import { now, timestamp } from "../lib/clock.ts";
import { changedConcurrently } from "../lib/errors.ts";
import { sha256Bytes } from "../lib/hash.ts";
import { detectLanguage } from "../lib/language/languages.ts";
import { truncate } from "../lib/truncate.ts";

/** Reason why a question counts as unanswered. */
export type QuestionReason = keyof VisitorQuestion["reasons"];

const StoredQuestion = v.object({
  ...v.omit(VisitorQuestion, ["reasons"]).entries,
  key_id: v.string(),
  document: v.optional(VisitorQuestion.entries.document, null),
  answered_at: v.optional(VisitorQuestion.entries.answered_at, null),
  no_source: v.optional(v.number(), 0),
  unknown: v.optional(v.number(), 0),
  disliked: v.optional(v.number(), 0),
});

const readStored = itemReader(StoredQuestion);

function readQuestion(item: Item): VisitorQuestion {
  const { key_id: _, no_source, unknown, disliked, ...question } = readStored(item);
  return { ...question, reasons: { no_source, unknown, disliked } };
}

/** Maximum length of a stored question, in characters. */
const MAX_QUESTION_LENGTH = 500;

/** Days after which a question that is not asked again is deleted. */
const QUESTION_DAYS = 90;

const SECONDS_PER_DAY = 86_400;

/**
 * Returns a hash of the significant words of a question. Questions with the same words in any order and inflection get the
 * same id; a text without such words, such as a greeting, gets null.
 */
export function toQuestionId(text: string): string | null {
  const words = toContentWords(text, detectLanguage(text)).map(({ terms }) => terms[0] ?? "");
  if (words.length === 0) return null;
  return sha256Bytes([...new Set(words)].toSorted().join(" "))
    .toString("hex")
    .slice(0, 32);
}

/** Question of a visitor without a good answer. */
interface UnansweredQuestion {
  readonly keyId: string;
  readonly sessionId: string;
  /** Id of the answering message. */
  readonly messageId: string;
  readonly text: string;
  /** Retention of conversations by the tenant's policy; undefined if it is not limited. */
  readonly retentionDays: number | undefined;
}

/**
 * Counts a question without a good answer and sets its status to open. Does nothing if the question was answered after
 * `askedAt`, if it was already counted for this message, or if a later question was counted.
 */
export async function recordQuestion(
  scope: TenantScope,
  { keyId, sessionId, messageId, text, retentionDays }: UnansweredQuestion,
  reason: QuestionReason,
  askedAt: string,
): Promise<void> {
  const id = toQuestionId(text);
  if (id === null) return;
  const days = Math.min(QUESTION_DAYS, retentionDays ?? QUESTION_DAYS);
  await tenantTable(scope)
    .write({
      update: keys.visitorQuestion(scope.tenantId, keyId, id),
      set: {
        ...indexKeys.visitorQuestionByTime(scope.tenantId, keyId, "open", askedAt, id),
        discriminator: "visitor-question",
        timestamp: now(),
        ttl: Math.ceil(now() / 1_000) + days * SECONDS_PER_DAY,
        id,
        key_id: keyId,
        question: truncate(text, MAX_QUESTION_LENGTH),
        session_id: sessionId,
        status: "open",
        last_asked_at: askedAt,
        last_message_id: messageId,
      },
      setIfAbsent: { first_asked_at: askedAt },
      add: { count: 1, [reason]: 1 },
      condition: allOf([
        anyOf([
          lacksAttribute("last_asked_at"),
          allOf([lessThan({ last_asked_at: askedAt }), differs({ last_message_id: messageId })]),
        ]),
        anyOf([lacksAttribute("answered_at"), lessThan({ answered_at: askedAt })]),
      ]),
    })
    .catch(ignoreConditionFailed);
}

/**
 * Lists the questions of a website's visitors with one status, the last asked first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listQuestions(
  scope: TenantScope,
  keyId: string,
  status: VisitorQuestion["status"],
  request: PageRequest,
): Promise<Page<VisitorQuestion>> {
  const { gsi1pk: pk } = indexKeys.visitorQuestionByTime(scope.tenantId, keyId, status, "", "");
  const list = { list: "visitor-questions", filters: { keyId, status }, index: "gsi1", pk, descending: true } as const;
  return mapPage(await listPage(scope, list, request), readQuestion);
}

/**
 * Sets the status of a question and, for `answered`, the document with the answer.
 * @throws ServiceError `not_found`, or `conflict` if the question was asked again in the meantime
 */
export async function updateQuestion(
  scope: TenantScope,
  keyId: string,
  id: string,
  { status, document }: Pick<VisitorQuestion, "status" | "document">,
): Promise<VisitorQuestion> {
  const key = keys.visitorQuestion(scope.tenantId, keyId, id);
  const current = await requireItem(scope, key);
  const { last_asked_at } = readQuestion(current);
  const isAnswered = status === "answered";
  const item = await tenantTable(scope).write({
    update: key,
    set: {
      ...indexKeys.visitorQuestionByTime(scope.tenantId, keyId, status, last_asked_at, id),
      status,
      document: isAnswered ? document : null,
      ...(isAnswered && { answered_at: timestamp() }),
      timestamp: now(),
    },
    // Nothing is later than null, so that an open question would not be counted any more.
    ...(!isAnswered && { remove: ["answered_at"] }),
    // The sort key of the index contains this time, so it must not have changed since it was read.
    condition: equals({ last_asked_at }, () => changedConcurrently("The question")),
  });
  return readQuestion(item as Item);
}
