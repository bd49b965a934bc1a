import { type Signal, signal } from "@preact/signals";
import type { Message } from "../../../../../shared/api/conversations/messages.ts";

export type NamedDocument = NonNullable<Message["documents"]>[number];

// Like files, documents outlive the view.
const documentsOf = new Map<string, Signal<readonly NamedDocument[]>>();

/**
 * Returns the documents that the user has chosen for the next question of a conversation. The id `new` stands for a
 * conversation that does not exist yet.
 */
export function pendingDocuments(conversationId: string): Signal<readonly NamedDocument[]> {
  const existing = documentsOf.get(conversationId);
  if (existing) return existing;
  const created = signal<readonly NamedDocument[]>([]);
  documentsOf.set(conversationId, created);
  return created;
}

/** Adds documents to the next question, except those that it already has. */
export function addDocuments(conversationId: string, added: readonly NamedDocument[]): void {
  const documents = pendingDocuments(conversationId);
  const all = [...documents.value, ...added].map((document) => [document.document_id, document] as const);
  documents.value = [...new Map(all).values()];
}

export function removeDocument(conversationId: string, { document_id }: NamedDocument): void {
  const documents = pendingDocuments(conversationId);
  documents.value = documents.value.filter((document) => document.document_id !== document_id);
}

/** Removes the documents from the next question and returns them, to send them with it. */
export function takeDocuments(conversationId: string): NamedDocument[] {
  const documents = pendingDocuments(conversationId);
  const taken = [...documents.value];
  documents.value = [];
  return taken;
}
