import { MAX_FILES } from "#shared/api/knowledge/document-fields.ts";
import { createDocumentRoute } from "#shared/api/knowledge/documents.ts";
import { MAX_FORM_FILE_BYTES } from "#shared/api/limits.ts";
import { parseFormData } from "#shared/http/body/form-data.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";
import { storeFiles } from "#shared/knowledge/add-files.ts";
import { getCollection } from "#shared/knowledge/collection-store.ts";
import { newDocumentWrites, newTextDocument } from "#shared/knowledge/document-store.ts";

export const handler = endpoint(createDocumentRoute, async ({ principal, params, body, headers, rawBody, commit }) => {
  await getCollection(principal, params.id);
  // A form has no JSON body.
  if (body !== undefined) {
    const { text, ...fields } = body;
    const document = newTextDocument(params.id, principal.userId, text, { ...fields, source: null });
    return commit(
      document,
      ...(await newDocumentWrites(principal, [{ document, source: { format: fields.media_type, text } }])),
    );
  }
  const form = await parseFormData(headers, rawBody, { maxFiles: MAX_FILES, maxFileBytes: MAX_FORM_FILE_BYTES });
  const { results, documents } = await storeFiles(principal, params.id, principal.userId, form);
  const reply = new Reply(207, { results });
  if (documents.length === 0) return reply;
  const entries = documents.map((document) => ({ document, source: null }));
  return commit(reply, ...(await newDocumentWrites(principal, entries)));
});
