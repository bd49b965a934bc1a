import { MAX_FORM_FILE_BYTES, MAX_UPLOAD_BYTES, MEBIBYTE } from "../../../../shared/api/limits.ts";
import { ProblemError } from "../../../../shared/client/index.ts";
import { t } from "../lib/i18n.ts";
import { describeUploadError, sendWithProgress } from "../lib/send-with-progress.ts";
import { api, authorizationHeaders } from "../session/session.ts";
import type { ReaderList } from "./readers.tsx";

export interface Upload {
  readonly id: number;
  readonly name: string;
  readonly size: number;
  /** Fraction of the file that was sent, from 0 to 1. */
  readonly progress: number;
  readonly error: string | null;
}

/** Extensions of the formats that the service reads, for the file dialog. */
export const acceptedExtensions =
  ".txt,.text,.log,.md,.markdown,.html,.htm,.csv,.tsv,.pdf,.docx,.pptx,.xlsx,.odt,.ods,.odp,.rtf,.epub,.eml,.msg";

async function uploadForm(
  collectionId: string,
  file: File,
  readers: ReaderList,
  onProgress: (part: number) => void,
): Promise<void> {
  const form = new FormData();
  if (readers) form.append("readers", JSON.stringify(readers));
  form.append("file", file);
  const headers = await authorizationHeaders();
  const path = `/v1/knowledge/collections/${collectionId}/documents`;
  const response = await sendWithProgress("POST", path, headers, form, onProgress);
  if (!response.ok) throw await ProblemError.from(response);
  const { results } = (await response.json()) as { results?: { error: { message: string } | null }[] };
  const refused = results?.find(({ error }) => error !== null)?.error;
  if (refused) throw new Error(refused.message);
}

async function uploadToStorage(
  collectionId: string,
  file: File,
  readers: ReaderList,
  onProgress: (part: number) => void,
): Promise<void> {
  const { upload } = await api.POST("/v1/knowledge/collections/{id}/uploads", {
    params: { path: { id: collectionId } },
    body: { file_name: file.name, size: file.size, readers: readers && [...readers] },
  });
  const response = await sendWithProgress(upload.method, upload.url, upload.headers, file, onProgress);
  if (!response.ok) throw new Error(t("The file could not be stored. Try again."));
}

/**
 * Uploads a file into a collection.
 * @param readers readers of the new document; null for those of the collection
 * @throws Error with a message for the user
 */
export async function uploadDocument(
  collectionId: string,
  file: File,
  readers: ReaderList,
  onProgress: (part: number) => void,
): Promise<void> {
  if (file.size === 0) throw new Error(t("The file is empty."));
  if (file.size > MAX_UPLOAD_BYTES) {
    const size = MAX_UPLOAD_BYTES / MEBIBYTE;
    throw new Error(t("The file has more than {size} MB. Split it into smaller files.", { size }));
  }
  try {
    await (file.size > MAX_FORM_FILE_BYTES ? uploadToStorage : uploadForm)(collectionId, file, readers, onProgress);
  } catch (error) {
    throw new Error(describeUploadError(error));
  }
}
