import { setTimeout as sleep } from "node:timers/promises";
import * as v from "valibot";
import { MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS } from "../api/conversations/attachment-limits.ts";
import type { UserPrincipal } from "../auth/principal.ts";
import { storeUpload } from "../conversations/attachments/attachment-files.ts";
import {
  type AttachmentRef,
  findAttachments,
  newAttachment,
  newAttachmentWrites,
} from "../conversations/attachments/attachment-store.ts";
import { getFileType } from "../conversations/attachments/attachment-types.ts";
import { tenantTable } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";
import type { SlackMessage } from "./event-store.ts";
import { type DownloadedFile, SlackError } from "./slack-client.ts";
import type { WorkspaceClient } from "./workspace-client.ts";

/** Longest wait until a file was read. Its function has two minutes for an attempt. */
const READ_TIMEOUT_MS = 150_000;
const [FIRST_DELAY_MS, MAX_DELAY_MS] = [250, 2_000];

const MAX_NAME_CHARACTERS = 255;

/** File of Slack that is not attached, with the reason as a sentence for the person. */
class UnreadableFile extends Error {}

/** Fields of a file that are read. Files of other services, deleted and hidden ones have no address. */
const SlackFile = v.object({
  name: v.fallback(v.string(), ""),
  title: v.fallback(v.string(), ""),
  size: v.fallback(v.number(), 0),
  mode: v.fallback(v.string(), ""),
  is_external: v.fallback(v.boolean(), false),
  url_private_download: v.fallback(v.nullable(v.string()), null),
  url_private: v.fallback(v.nullable(v.string()), null),
});
type SlackFile = v.InferOutput<typeof SlackFile>;

const reasons: Readonly<Record<string, string>> = {
  missing_scope:
    "The app may not read files. An administrator adds the scope `files:read` to the app in Slack and installs it again.",
  login_required: "Slack sent a page to sign in instead of the file. The app may not be allowed to read it.",
  file_deleted: "It was deleted.",
  file_not_found: "Slack does not find it.",
  too_large: "It has more than 20 MiB.",
};

/** Returns a name on one line; the end of a long one, which has the extension. */
const nameOf = ({ name, title }: SlackFile, id: string) =>
  (name || title || id)
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "")
    .slice(-MAX_NAME_CHARACTERS)
    .toWellFormed()
    .trim() || id;

/** Slack answers 200 with a web page where a person would sign in, also for files that are web pages. */
const isOtherPage = ({ mediaType, content }: DownloadedFile, expected: string, size: number) =>
  mediaType === "text/html" && (expected !== "text/html" || content.length !== size);

/** Stores a file of Slack as an attachment, which a job reads. @throws UnreadableFile or ServiceError if it cannot be read */
async function attachFile(
  principal: UserPrincipal,
  { download }: WorkspaceClient,
  conversationId: string,
  file: SlackFile,
  file_name: string,
): Promise<AttachmentRef> {
  const url = file.url_private_download ?? file.url_private;
  if (file.is_external) throw new UnreadableFile("It is stored in another service. Upload it to Slack.");
  if (url === null) throw new UnreadableFile("Slack does not offer it for download.");
  const type = getFileType(file_name);
  if (file.size > MAX_ATTACHMENT_BYTES) throw new UnreadableFile(reasons.too_large);
  const downloaded = await download(url, MAX_ATTACHMENT_BYTES);
  if (isOtherPage(downloaded, type.media_type, file.size)) throw new UnreadableFile(reasons.login_required);
  const { content } = downloaded;
  if (content.length === 0) throw new UnreadableFile("It is empty.");
  const attachment = newAttachment(principal.userId, conversationId, { file_name, ...type, size: content.length });
  await tenantTable(principal).transact(await newAttachmentWrites(principal, attachment));
  await storeUpload(principal, attachment, content);
  return attachment;
}

/** Attachment, or the name of a file with the reason for which it is not attached. */
type Attached = { readonly file_name: string } & ({ readonly ref: AttachmentRef } | { readonly reason: string });

async function tryAttach(
  principal: UserPrincipal,
  client: WorkspaceClient,
  conversationId: string,
  id: string,
): Promise<Attached> {
  let file_name = id;
  try {
    // The event lacks the fields of files from other organizations.
    const file = v.parse(SlackFile, (await client.call("files.info", { file: id })).file);
    file_name = nameOf(file, id);
    return { file_name, ref: await attachFile(principal, client, conversationId, file, file_name) };
  } catch (error) {
    if (error instanceof UnreadableFile) return { file_name, reason: error.message };
    if (error instanceof ServiceError && error.status < 500) return { file_name, reason: error.message };
    if (!(error instanceof SlackError)) throw error;
    return { file_name, reason: reasons[error.code] ?? `Slack did not send it (${error.code}).` };
  }
}

/** Waits until an attachment was read. @returns the reason for which it cannot be used, or null */
async function waitUntilRead(principal: UserPrincipal, ref: AttachmentRef, deadline: number): Promise<string | null> {
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, MAX_DELAY_MS)) {
    const [attachment] = await findAttachments(principal, [ref]);
    if (!attachment) return "It was deleted.";
    if (attachment.status === "failed") return attachment.failure?.message ?? "It cannot be read.";
    if (attachment.status === "ready") return null;
    if (now() + delayMs > deadline) return "Reading it takes too long. Try again later.";
    await sleep(delayMs);
  }
}

/** Files of a message that are attached, and sentences about those that are not. */
export interface AttachedFiles {
  readonly ids: readonly string[];
  readonly names: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Attaches the files of a message to its conversation, as if the person had uploaded them. One at a time, because each may
 * have 20 MiB.
 */
export async function attachFiles(
  principal: UserPrincipal,
  client: WorkspaceClient,
  { files = [] }: SlackMessage,
  conversationId: string,
): Promise<AttachedFiles> {
  const attached: Attached[] = [];
  for (const id of files.slice(0, MAX_ATTACHMENTS)) {
    attached.push(await tryAttach(principal, client, conversationId, id));
  }
  const deadline = now() + READ_TIMEOUT_MS;
  const read = await Promise.all(
    attached.map(async (each) => ({
      ...each,
      reason: "ref" in each ? await waitUntilRead(principal, each.ref, deadline) : each.reason,
    })),
  );
  const ready = read.filter(({ reason }) => reason === null);
  return {
    ids: ready.flatMap((each) => ("ref" in each ? [each.ref.id] : [])),
    names: ready.map(({ file_name }) => file_name),
    notes: [
      ...read.flatMap(({ file_name, reason }) => (reason === null ? [] : [`${file_name} was not read: ${reason}`])),
      ...(files.length > MAX_ATTACHMENTS ? [`Only the first ${MAX_ATTACHMENTS} files of the message were read.`] : []),
    ],
  };
}
