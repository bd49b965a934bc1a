import { type Signal, signal } from "@preact/signals";
import { MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS } from "../../../../../shared/api/conversations/attachment-limits.ts";
import { MEBIBYTE } from "../../../../../shared/api/limits.ts";
import { type AttachedFile, attachFile } from "../../../../../shared/client/index.ts";
import { describeCode } from "../../lib/codes/server-texts.ts";
import { t } from "../../lib/i18n.ts";
import { describeUploadError, sendWithProgress } from "../../lib/send-with-progress.ts";
import { showToast } from "../../lib/toast.ts";
import { api } from "../../session/session.ts";

type Attachment = Pick<AttachedFile, "id" | "file_name" | "kind" | "media_type" | "size">;

/** File that the user chose for the next question of a conversation. */
export interface PendingFile {
  readonly key: number;
  readonly name: string;
  /** Size in bytes. */
  readonly size: number;
  /** Content of the file; null for a file that was already uploaded for a question that failed. */
  readonly file: File | null;
  /** Object URL of an image, for its preview; null for other files. */
  readonly preview: string | null;
  /** Uploaded fraction of the file, from 0 to 1; null before the upload starts. */
  readonly progress: number | null;
  /** Attachment after the service has processed the file; null until then. */
  readonly attachment: Attachment | null;
  readonly error: string | null;
  readonly controller: AbortController;
}

// Files outlive the view, so that another conversation can be opened while they are uploaded.
const filesOf = new Map<string, Signal<readonly PendingFile[]>>();

/** Name of a photo as iPhones take them. Models do not read the format. */
const photoName = /\.hei[cf]$/i;

const convertPhoto = (file: File) => import("./convert-photo.ts").then((module) => module.convertPhoto(file));

const UNREAD = { code: "corrupt", message: "The file could not be read." };

let lastKey = 0;

/**
 * Returns the files for the next question of a conversation, as a signal. The id `new` stands for a conversation that does
 * not exist yet.
 */
export function pendingFiles(conversationId: string): Signal<readonly PendingFile[]> {
  const existing = filesOf.get(conversationId);
  if (existing) return existing;
  const created = signal<readonly PendingFile[]>([]);
  filesOf.set(conversationId, created);
  return created;
}

/** Returns true if the upload of a file has started but did not succeed yet, so that the question cannot be sent. */
export const isIncomplete = (files: readonly PendingFile[]) =>
  files.some(({ progress, attachment }) => progress !== null && attachment === null);

function change(conversationId: string, key: number, values: Partial<PendingFile>): void {
  const files = pendingFiles(conversationId);
  files.value = files.value.map((file) => (file.key === key ? { ...file, ...values } : file));
}

/** Returns why a file cannot be attached by its size; null if it can. */
function exceededLimit({ size }: File): string | null {
  if (size === 0) return t("The file is empty.");
  return size > MAX_ATTACHMENT_BYTES
    ? t("The file is larger than {size} MB.", { size: MAX_ATTACHMENT_BYTES / MEBIBYTE })
    : null;
}

/** Adds files to the next question, those of a wrong size as refused. Leaves out files beyond the limit and tells the user. */
export function addFiles(conversationId: string, chosen: readonly File[]): void {
  const files = pendingFiles(conversationId);
  const added = chosen.slice(0, MAX_ATTACHMENTS - files.value.length);
  if (added.length < chosen.length)
    showToast(t("A question takes at most {count} files.", { count: MAX_ATTACHMENTS }), true);
  files.value = [
    ...files.value,
    ...added.map((file) => {
      const error = exceededLimit(file);
      return {
        key: ++lastKey,
        name: file.name,
        size: file.size,
        file,
        preview: file.type.startsWith("image/") ? URL.createObjectURL(file) : null,
        progress: error === null ? null : 0,
        attachment: null,
        error,
        controller: new AbortController(),
      };
    }),
  ];
}

/** Adds the files of a question that failed to the next question, without uploading them again. */
export function restoreFiles(conversationId: string, attachments: readonly Attachment[]): void {
  const files = pendingFiles(conversationId);
  const restored = attachments.map((attachment) => ({
    key: ++lastKey,
    name: attachment.file_name,
    size: attachment.size,
    file: null,
    preview: null,
    progress: 1,
    attachment,
    error: null,
    controller: new AbortController(),
  }));
  files.value = [...restored, ...files.value];
}

/** Removes a file from the next question. If it was uploaded, the service deletes it after a day. */
export function removeFile(conversationId: string, { key, preview, controller }: PendingFile): void {
  controller.abort();
  if (preview) URL.revokeObjectURL(preview);
  const files = pendingFiles(conversationId);
  files.value = files.value.filter((file) => file.key !== key);
}

async function upload(
  key: string,
  { key: fileKey, file, controller }: PendingFile,
  conversationId: string | Promise<string>,
): Promise<void> {
  const { signal } = controller;
  if (!file) return;
  const onProgress = (progress: number) => change(key, fileKey, { progress });
  onProgress(0);
  try {
    const photo = photoName.test(file.name) ? await convertPhoto(file) : file;
    const attachment = await attachFile(api, await conversationId, photo, {
      signal,
      send: async ({ url, headers, body }) => {
        const response = await sendWithProgress("PUT", url, headers, body, onProgress, signal);
        if (!response.ok) throw new Error(t("The file could not be stored. Try again."));
      },
    });
    if (attachment.status === "ready") change(key, fileKey, { attachment });
    else change(key, fileKey, { error: describeCode(attachment.failure ?? UNREAD) });
  } catch (error) {
    if (!signal.aborted) change(key, fileKey, { error: describeUploadError(error) });
  }
}

/**
 * Uploads the files for the next question that were added since.
 * @param key conversation of the question
 * @param conversationId conversation that gets the files, which differs while that of the question does not exist
 */
export async function uploadFiles(key: string, conversationId: string | Promise<string> = key): Promise<void> {
  const waiting = pendingFiles(key).value.filter(({ progress }) => progress === null);
  await Promise.all(waiting.map((file) => upload(key, file, conversationId)));
}

/** Removes the files from the next question and returns the uploaded ones, to send them with it. */
export function takeFiles(conversationId: string): Attachment[] {
  const files = pendingFiles(conversationId);
  const taken = files.value;
  files.value = [];
  for (const { preview } of taken) if (preview) URL.revokeObjectURL(preview);
  return taken.flatMap(({ attachment }) => attachment ?? []);
}
