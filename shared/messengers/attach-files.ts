import { setTimeout as sleep } from "node:timers/promises";
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
import { type MessengerClient, type ReceivedFile, UnreadableFile } from "./client.ts";
import type { MessengerFile, MessengerMessage } from "./event-store.ts";

/**
 * Maximum time to wait until all files are processed. One attempt of the function that processes a file can take two
 * minutes.
 */
const READ_TIMEOUT_MS = 150_000;
const [FIRST_DELAY_MS, MAX_DELAY_MS] = [250, 2_000];

/**
 * Uploads a file as a new attachment. A job then processes it.
 * @throws UnreadableFile or ServiceError if the file cannot be attached
 */
async function attachFile(
  principal: UserPrincipal,
  conversationId: string,
  { file_name, download }: ReceivedFile,
): Promise<AttachmentRef> {
  const type = getFileType(file_name);
  const content = await download(MAX_ATTACHMENT_BYTES, type.media_type);
  if (content.length === 0) throw new UnreadableFile("It is empty.");
  const attachment = newAttachment(principal.userId, conversationId, { file_name, ...type, size: content.length });
  await tenantTable(principal).transact(await newAttachmentWrites(principal, attachment));
  await storeUpload(principal, attachment, content);
  return attachment;
}

/** Attachment of a file, or the reason why the file could not be attached. */
type Attached = { readonly file_name: string } & ({ readonly ref: AttachmentRef } | { readonly reason: string });

async function tryAttach(
  principal: UserPrincipal,
  client: MessengerClient,
  conversationId: string,
  file: MessengerFile,
): Promise<Attached> {
  let file_name = typeof file === "string" ? file : file.name;
  try {
    const received = await client.openFile(file);
    file_name = received.file_name;
    return { file_name, ref: await attachFile(principal, conversationId, received) };
  } catch (error) {
    const isReason = error instanceof UnreadableFile || (error instanceof ServiceError && error.status < 500);
    if (!isReason) throw error;
    return { file_name, reason: error.message };
  }
}

/**
 * Waits until an attachment is processed.
 * @returns the reason why it cannot be used, or null
 */
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

/** Attachments of a message (`ids`, `names`), and sentences about files that could not be attached (`notes`). */
interface AttachedFiles {
  readonly ids: readonly string[];
  readonly names: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Attaches the files of a message to its conversation, as if the user had uploaded them. Downloads them one after
 * another, because each can have 20 MiB in memory.
 */
export async function attachFiles(
  principal: UserPrincipal,
  client: MessengerClient,
  { files = [] }: MessengerMessage,
  conversationId: string,
): Promise<AttachedFiles> {
  const attached: Attached[] = [];
  for (const file of files.slice(0, MAX_ATTACHMENTS)) {
    attached.push(await tryAttach(principal, client, conversationId, file));
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
