import type { ReplyOf, Switchboard } from "./client.ts";
import { sleep } from "./retry.ts";

export type AttachedFile = ReplyOf<"/v1/conversations/{id}/attachments/{attachment_id}", "get">;

/** PUT request that uploads a file to the presigned URL. */
export interface UploadRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Blob;
}

export interface AttachOptions {
  readonly signal?: AbortSignal | undefined;
  /** Function that sends the file; `fetch` by default. A program can replace it to show progress. */
  readonly send?: (request: UploadRequest, signal?: AbortSignal) => Promise<void>;
}

const FIRST_DELAY_MS = 150;
const MAX_DELAY_MS = 2_000;

async function sendFile({ url, headers, body }: UploadRequest, signal?: AbortSignal): Promise<void> {
  const response = await fetch(url, { method: "PUT", headers, body, ...(signal && { signal }) });
  if (!response.ok) throw new Error(`The upload failed with status ${response.status}.`);
}

/** Calls of the API with which `uploadFile` creates an attachment and reads its status. */
interface AttachmentRequests<Attachment> {
  readonly create: (file: { readonly file_name: string; readonly size: number }) => Promise<{
    readonly attachment: { readonly id: string };
    readonly upload: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  }>;
  readonly read: (id: string) => Promise<Attachment>;
}

/**
 * Uploads a file with the given API calls and waits until the service has processed it.
 * @throws Error if the upload fails
 */
export async function uploadFile<Attachment extends { readonly status: string }>(
  { create, read }: AttachmentRequests<Attachment>,
  file: Blob & { readonly name: string },
  { signal, send = sendFile }: AttachOptions = {},
): Promise<Attachment> {
  const { attachment, upload } = await create({ file_name: file.name, size: file.size });
  // The length is that of the body; browsers do not let programs set it.
  const { "content-length": _, ...headers } = upload.headers;
  // A blob with another type would override the type that the URL is bound to.
  await send({ url: upload.url, headers, body: file.slice(0, file.size, headers["content-type"] ?? "") }, signal);
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, MAX_DELAY_MS)) {
    await sleep(delayMs, signal);
    const current = await read(attachment.id);
    if (current.status !== "pending") return current;
  }
}

/**
 * Uploads a file for a message of a conversation and waits until the service has processed it.
 * @returns the attachment with the status `ready`, whose id `chat` accepts, or `failed` with the reason
 */
export function attachFile(
  client: Pick<Switchboard, "GET" | "POST">,
  conversationId: string,
  file: Blob & { readonly name: string },
  options: AttachOptions = {},
): Promise<AttachedFile> {
  const init = options.signal ? { signal: options.signal } : {};
  const path = { id: conversationId };
  return uploadFile<AttachedFile>(
    {
      create: (body) => client.POST("/v1/conversations/{id}/attachments", { params: { path }, body, ...init }),
      read: (attachment_id) =>
        client.GET("/v1/conversations/{id}/attachments/{attachment_id}", {
          params: { path: { ...path, attachment_id } },
          ...init,
        }),
    },
    file,
    options,
  );
}
