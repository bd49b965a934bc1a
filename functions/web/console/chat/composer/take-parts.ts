import type { ChatRequest } from "../../../../../shared/client/index.ts";
import { takeDocuments } from "../documents/pending-documents.ts";
import { takeFiles } from "../files/pending-files.ts";
import type { LiveReply } from "../run.ts";

/**
 * Removes the files and documents from the next question and returns them: as fields of the request, and in full for the
 * page.
 */
export function takeParts(conversationId: string): {
  readonly names: Pick<ChatRequest, "attachments" | "documents">;
  readonly parts: Pick<LiveReply, "attachments" | "documents">;
} {
  const [attachments, documents] = [takeFiles(conversationId), takeDocuments(conversationId)];
  return {
    names: {
      ...(attachments.length > 0 && { attachments: attachments.map(({ id }) => id) }),
      ...(documents.length > 0 && {
        documents: documents.map(({ collection_id, document_id }) => ({ collection_id, document_id })),
      }),
    },
    parts: { attachments, documents },
  };
}
