import type { LanguageModelV4FilePart, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { findAttachmentFile, findAttachmentText } from "../../conversations/attachments/attachment-files.ts";
import { findAttachments } from "../../conversations/attachments/attachment-store.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import type { RunEvent } from "../../runs/events.ts";
import { type ContextFile, fitTexts, IMAGE_REFERENCE } from "../context/attached-files.ts";
import { getTurnBudget } from "../context/context-budget.ts";
import type { LongFile } from "../context/file-passages.ts";
import { checkNotes, worstResult } from "../guardrail-checks.ts";
import type { Turn } from "../turn.ts";

/** Number of files that are read concurrently. */
const CONCURRENCY = 4;

/** Minimum number of tokens that `boundTokens` counts for a character. */
const MIN_TOKENS_PER_CHARACTER = 1 / 3;

const warning = (code: string, message: string): RunEvent => ({ type: "preflight_warning", data: { code, message } });

interface ReadFiles {
  readonly files: readonly ContextFile[];
  /** Files of which the prompt contains only the beginning. */
  readonly longFiles: readonly LongFile[];
}

/**
 * Reads the texts of the attached files up to the budget of the prompt, and checks that part with the guardrail as
 * untrusted text. Skips deleted files with a warning.
 */
export async function* readFiles(turn: Turn): AsyncGenerator<RunEvent, ReadFiles> {
  const { principal, conversation, attached, run, guardrails } = turn;
  if (attached.length === 0) return { files: [], longFiles: [] };
  const refs = attached.map(({ id }) => ({ conversation_id: conversation.id, id }));
  const stored = new Map((await findAttachments(principal, refs)).map((attachment) => [attachment.id, attachment]));
  const budget = getTurnBudget(turn, run.model);
  const maxCharacters = Math.ceil(budget.files / MIN_TOKENS_PER_CHARACTER);
  const wholes = new Map<string, string>();
  const read = await mapConcurrent(
    attached.filter(({ id }) => stored.has(id)),
    async (file): Promise<ContextFile | null> => {
      if (file.kind === "image") return file;
      const ref = { conversation_id: conversation.id, id: file.id };
      const whole = await findAttachmentText(principal, ref);
      if (whole === undefined) return null;
      wholes.set(file.id, whole);
      const text = whole.slice(0, maxCharacters).toWellFormed();
      return { ...file, text, characters: stored.get(file.id)?.characters ?? text.length };
    },
    CONCURRENCY,
  );
  const found = read.filter((file) => file !== null);
  const fitted = fitTexts(found, budget.files);
  for (const { file_name } of attached.filter((file) => !found.some(({ id }) => id === file.id))) {
    yield warning("attachment_deleted", `${file_name} was deleted, so the answer is given without it.`);
  }
  for (const { id, file_name, characters, kind } of found) {
    const { length } = fitted.get(id) ?? "";
    if (kind === "image" || length >= characters) continue;
    yield warning(
      "attachment_trimmed",
      `Only the beginning of ${file_name} fits into the prompt: ${length} of ${characters} characters. Its other parts are searched.`,
    );
  }
  // Only what enters the prompt is checked: a check of a long text takes seconds.
  const texts = found.map(({ id, file_name }) => ({ title: file_name, body: fitted.get(id) ?? "" }));
  const checked = await checkNotes(texts, guardrails);
  const files = found.map((file, index) => {
    const { title, body } = checked.notes[index] ?? { title: "", body: "" };
    return { ...file, file_name: title, text: body };
  });
  yield* worstResult(turn.record, "retrieval", checked.verdicts);
  const longFiles = files.flatMap(({ id, file_name }) => {
    const [text = "", shown = ""] = [wholes.get(id), fitted.get(id)];
    return text.length > shown.length
      ? [{ id, file_name, text, pageStarts: stored.get(id)?.page_starts ?? [], shownCharacters: shown.length }]
      : [];
  });
  return { files, longFiles };
}

/** Images of the turns in progress, so that each is read from S3 once for all model calls. */
const imagesByTurn = new WeakMap<Turn, Map<string, Promise<Buffer | undefined>>>();

function findImage(turn: Turn, id: string): Promise<Buffer | undefined> {
  const images = imagesByTurn.get(turn) ?? new Map<string, Promise<Buffer | undefined>>();
  imagesByTurn.set(turn, images);
  const ref = { conversation_id: turn.conversation.id, id };
  const image = images.get(id) ?? findAttachmentFile(turn.principal, ref);
  images.set(id, image);
  return image;
}

const referenceOf = ({ data }: LanguageModelV4FilePart): string | undefined =>
  data.type === "reference" ? data.reference[IMAGE_REFERENCE] : undefined;

export const hasImages = (prompt: LanguageModelV4Prompt): boolean =>
  prompt.some(({ role, content }) => role === "user" && content.some(({ type }) => type === "file"));

/** Returns the prompt of a turn with the data of its images in place of the references. */
export async function withImages(turn: Turn): Promise<LanguageModelV4Prompt> {
  if (!hasImages(turn.answer.prompt)) return turn.answer.prompt;
  const messages = turn.answer.prompt.map(async (message) => {
    if (message.role !== "user") return message;
    const parts = message.content.map(async (part) => {
      const id = part.type === "file" ? referenceOf(part) : undefined;
      if (part.type !== "file" || id === undefined) return part;
      const data = await findImage(turn, id);
      if (!data) return { type: "text" as const, text: "(An image was deleted here.)" };
      return { ...part, data: { type: "data" as const, data } };
    });
    return { ...message, content: await Promise.all(parts) };
  });
  return Promise.all(messages);
}
