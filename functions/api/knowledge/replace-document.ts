import { replaceDocumentRoute } from "#shared/api/knowledge/documents.ts";
import { MAX_FORM_FILE_BYTES } from "#shared/api/limits.ts";
import { parseFormData } from "#shared/http/body/form-data.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { findRefusal, parseForm, toFileFields } from "#shared/knowledge/add-files.ts";
import { getCollection } from "#shared/knowledge/collection-store.ts";
import { getDocument } from "#shared/knowledge/document-store.ts";
import { newVersionWrites, withNewVersion } from "#shared/knowledge/document-versions.ts";
import { requireOwnerOrAdmin } from "#shared/knowledge/knowledge-access.ts";
import { storeFile } from "#shared/knowledge/upload-store.ts";
import { ServiceError } from "#shared/lib/errors.ts";

export const handler = endpoint(
  replaceDocumentRoute,
  async ({ principal, params, body, headers, rawBody, rights, commit }) => {
    const { id: collection_id, document_id } = params;
    const collection = await getCollection(principal, collection_id);
    const document = await getDocument(principal, { collection_id, id: document_id });
    requireOwnerOrAdmin(principal.userId, [collection.owner_id, document.author_id], (await rights()).permissions);
    // A form has no JSON body.
    if (body !== undefined) {
      const { text, ...fields } = body;
      const changed = withNewVersion(document, { ...fields, file_name: null, size: Buffer.byteLength(text) });
      return commit(
        changed,
        ...(await newVersionWrites(principal, document, changed, { format: fields.media_type, text })),
      );
    }
    const form = await parseFormData(headers, rawBody, { maxFiles: 1, maxFileBytes: MAX_FORM_FILE_BYTES });
    const fields = parseForm(form);
    const [file] = form.files;
    const refusal = file && findRefusal(file);
    if (refusal?.code === "too_large") throw new ServiceError("payload_too_large", refusal.message);
    if (!file || refusal) throw new ServiceError("unsupported_media_type", refusal?.message);
    const { title, uri, metadata } = document;
    const changed = withNewVersion(document, toFileFields(file, { title, uri: uri ?? undefined, metadata, ...fields }));
    await storeFile(principal, changed, file.content);
    return commit(changed, ...(await newVersionWrites(principal, document, changed, null)));
  },
);
