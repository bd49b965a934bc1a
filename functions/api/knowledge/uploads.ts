import { extractionFailures } from "#shared/api/knowledge/extraction-failures.ts";
import { createUploadRoute } from "#shared/api/knowledge/uploads.ts";
import { findDocumentType } from "#shared/files/file-types.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { refuseReaders, toTitle } from "#shared/knowledge/add-files.ts";
import { getCollection } from "#shared/knowledge/collection-store.ts";
import { getDocument, newDocument, newDocumentWrites } from "#shared/knowledge/document-store.ts";
import { newVersionWrites, withNewVersion } from "#shared/knowledge/document-versions.ts";
import { requireOwnerOrAdmin } from "#shared/knowledge/knowledge-access.ts";
import { requireKnownReaders } from "#shared/knowledge/readers/check-readers.ts";
import { createUploadRequest, toMediaType } from "#shared/knowledge/upload-store.ts";
import { ServiceError } from "#shared/lib/errors.ts";

export const createUploadHandler = endpoint(createUploadRoute, async ({ principal, params, body, rights, commit }) => {
  const { file_name, size, document_id, uri, title, metadata, readers } = body;
  const type = findDocumentType(file_name);
  if (!type) throw new ServiceError("unsupported_media_type", extractionFailures.unsupported);
  const file = { file_name, size, media_type: toMediaType(type) };
  if (document_id === undefined) {
    await Promise.all([getCollection(principal, params.id), requireKnownReaders(principal, readers)]);
    const fields = { ...file, title: title ?? toTitle(file_name), uri, metadata: metadata ?? {} };
    const document = newDocument(params.id, principal.userId, { ...fields, source: null, readers: readers ?? null });
    const upload = createUploadRequest(principal, document, size);
    return commit({ document, upload }, ...(await newDocumentWrites(principal, [{ document, source: null }])));
  }
  refuseReaders(readers);
  const { collection, document: current } = await getDocument(principal, { collection_id: params.id, id: document_id });
  requireOwnerOrAdmin(principal.userId, [collection.owner_id, current.author_id], (await rights()).permissions);
  const document = withNewVersion(current, {
    ...file,
    title: title ?? current.title,
    uri: uri ?? current.uri,
    metadata: metadata ?? current.metadata,
  });
  const upload = createUploadRequest(principal, document, size);
  return commit({ document, upload }, ...(await newVersionWrites(principal, current, document, null)));
});
