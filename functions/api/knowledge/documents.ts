import { pathOf } from "#shared/api/define-route.ts";
import { MAX_FILES } from "#shared/api/knowledge/document-fields.ts";
import {
  createDocumentRoute,
  deleteDocumentRoute,
  getDocumentRoute,
  listDocumentsRoute,
  promoteMessageRoute,
  replaceDocumentRoute,
  updateDocumentRoute,
} from "#shared/api/knowledge/documents.ts";
import { MAX_FORM_FILE_BYTES } from "#shared/api/limits.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { findHiddenFromReader } from "#shared/conversations/list-branch.ts";
import { blocksToMarkdown } from "#shared/conversations/markdown-blocks.ts";
import { findMessage } from "#shared/conversations/message-store.ts";
import { parseFormData } from "#shared/http/body/form-data.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply, Reply } from "#shared/http/reply.ts";
import { findRefusal, parseForm, refuseReaders, storeFiles, toFileFields } from "#shared/knowledge/add-files.ts";
import { getCollection } from "#shared/knowledge/collection-store.ts";
import {
  deleteDocument,
  documentReadersWrites,
  getDocument,
  listDocuments,
  newDocumentWrites,
  newTextDocument,
} from "#shared/knowledge/document-store.ts";
import { newVersionWrites, withNewVersion } from "#shared/knowledge/document-versions.ts";
import { requireOwnerOrAdmin } from "#shared/knowledge/knowledge-access.ts";
import { toPromotedDocument } from "#shared/knowledge/promoted-document.ts";
import { requireKnownReaders } from "#shared/knowledge/readers/check-readers.ts";
import { ReaderAccess } from "#shared/knowledge/readers/reader-access.ts";
import { storeFile } from "#shared/knowledge/upload-store.ts";
import { notFound, ServiceError } from "#shared/lib/errors.ts";

export const createDocumentHandler = endpoint(
  createDocumentRoute,
  async ({ principal, params, body, headers, rawBody, commit }) => {
    await getCollection(principal, params.id);
    // A form has no JSON body.
    if (body !== undefined) {
      const { text, ...fields } = body;
      await requireKnownReaders(principal, fields.readers);
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
  },
);

export const deleteDocumentHandler = endpoint(deleteDocumentRoute, async ({ principal, params, rights }) => {
  const ref = { collection_id: params.id, id: params.document_id };
  const { collection, document } = await getDocument(principal, ref);
  requireOwnerOrAdmin(principal.userId, [collection.owner_id, document.author_id], (await rights()).permissions);
  await deleteDocument(principal, document);
});

export const getDocumentHandler = endpoint(getDocumentRoute, async ({ principal, params }) => {
  const ref = { collection_id: params.id, id: params.document_id };
  return (await getDocument(principal, ref)).document;
});

export const listDocumentsHandler = endpoint(listDocumentsRoute, async ({ principal, params, query }) => {
  const access = new ReaderAccess(principal);
  const page = await listDocuments(access, await getCollection(access, params.id), query);
  return pageReply("documents", page, query.limit);
});

export const promoteMessageHandler = endpoint(promoteMessageRoute, async ({ principal, params, body, commit }) => {
  const { conversation_id, message_id } = body;
  const [conversation] = await Promise.all([
    authorizeConversation(principal, conversation_id, "READ"),
    getCollection(principal, params.id),
    requireKnownReaders(principal, body.readers),
  ]);
  if ((await findHiddenFromReader(principal, conversation)).has(message_id)) throw notFound();
  const message = await findMessage(principal, conversation_id, message_id);
  const { title, text } = toPromotedDocument(message?.status, message && blocksToMarkdown(message.content), body.title);
  const document = newTextDocument(params.id, principal.userId, text, {
    title,
    media_type: "text/markdown",
    uri: null,
    metadata: {},
    source: { conversation_id, message_id },
    readers: body.readers,
  });
  const location = pathOf(getDocumentRoute, { id: params.id, document_id: document.id });
  return commit(
    new Reply(201, document, { location }),
    ...(await newDocumentWrites(principal, [{ document, source: { format: "text/markdown", text } }])),
  );
});

export const replaceDocumentHandler = endpoint(
  replaceDocumentRoute,
  async ({ principal, params, body, headers, rawBody, rights, commit }) => {
    const { id: collection_id, document_id } = params;
    const { collection, document } = await getDocument(principal, { collection_id, id: document_id });
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
    const { readers, ...fields } = parseForm(form);
    refuseReaders(readers);
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

export const updateDocumentHandler = endpoint(
  updateDocumentRoute,
  async ({ principal, params, body: { readers }, rights, commit }) => {
    const { collection, document } = await getDocument(principal, { collection_id: params.id, id: params.document_id });
    requireOwnerOrAdmin(principal.userId, [collection.owner_id, document.author_id], (await rights()).permissions);
    await requireKnownReaders(principal, readers, document.readers);
    return commit({ ...document, readers }, ...documentReadersWrites(principal, document, readers));
  },
);
