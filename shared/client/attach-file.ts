import type { ReplyOf, Switchboard } from "./client.ts";
import { sleep } from "./retry.ts";

/** Attachment as the service returns it. */
export type AttachedFile = ReplyOf<"/v1/conversations/{id}/attachments/{attachment_id}", "get">;

/** Request with which a file is uploaded. */
export interface UploadRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Blob;
}

/** Options of `attachFile`. */
export interface AttachOptions {
  readonly signal?: AbortSignal | undefined;
  /** Sends the file, for programs that show the progress; `fetch` by default. */
  readonly send?: (request: UploadRequest, signal?: AbortSignal) => Promise<void>;
}

const FIRST_DELAY_MS = 150;
const MAX_DELAY_MS = 2_000;

async function sendFile({ url, headers, body }: UploadRequest, signal?: AbortSignal): Promise<void> {
  const response = await fetch(url, { method: "PUT", headers, body, ...(signal && { signal }) });
  if (!response.ok) throw new Error(`The upload failed with status ${response.status}.`);
}

/**
 * Uploads a file for a message of a conversation and waits until the service has read it.
 * @returns the attachment with the status `ready`, whose id `chat` takes, or `failed` with the reason
 */
export async function attachFile(
  client: Pick<Switchboard, "GET" | "POST">,
  conversationId: string,
  file: Blob & { readonly name: string },
  { signal, send = sendFile }: AttachOptions = {},
): Promise<AttachedFile> {
  const init = signal ? { signal } : {};
  const { attachment, upload } = await client.POST("/v1/conversations/{id}/attachments", {
    params: { path: { id: conversationId } },
    body: { file_name: file.name, size: file.size },
    ...init,
  });
  // The length is that of the body; browsers do not let programs set it.
  const { "content-length": _, ...headers } = upload.headers;
  // A blob with another type would override the type that the URL is bound to.
  await send({ url: upload.url, headers, body: file.slice(0, file.size, headers["content-type"] ?? "") }, signal);
  const path = { id: conversationId, attachment_id: attachment.id };
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, MAX_DELAY_MS)) {
    await sleep(delayMs, signal);
    const current = await client.GET("/v1/conversations/{id}/attachments/{attachment_id}", {
      params: { path },
      ...init,
    });
    if (current.status !== "pending") return current;
  }
}
