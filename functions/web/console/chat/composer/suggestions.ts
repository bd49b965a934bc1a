import type { Signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { MAX_QUESTION_DOCUMENTS } from "../../../../../shared/api/conversations/attachment-limits.ts";
import type { ReplyOf } from "../../../../../shared/client/index.ts";
import { useResource } from "../../lib/data.ts";
import { t } from "../../lib/i18n.ts";
import { upTo, useCollections, usePersonas, useTemplates } from "../../lib/lists.ts";
import { useDebounced } from "../../lib/message-search.ts";
import { showToast } from "../../lib/toast.ts";
import { api } from "../../session/session.ts";
import { addDocuments, type NamedDocument, pendingDocuments } from "../documents/pending-documents.ts";
import type { Suggestion } from "./composer.tsx";

type Collection = ReplyOf<"/v1/knowledge/collections", "get">["collections"][number];

const MAX_OF_KIND = 6;

/** Minimum number of characters after `@` for which the knowledge is searched. */
const MIN_SEARCHED_LENGTH = 3;

/** Matches a name after `@` at the end of a text. */
const typedName = /(^|\s)@(\S*)$/;

/**
 * Returns the name that the user is typing after `/` or `@`; null if there is none. A template (`/`) must be the whole text,
 * any other name (`@`) its end.
 */
function findTyped(text: string): { readonly mark: "/" | "@"; readonly name: string } | null {
  const template = /^\/(\S*)$/.exec(text);
  if (template) return { mark: "/", name: template[1] ?? "" };
  const name = typedName.exec(text);
  return name && { mark: "@", name: name[2] ?? "" };
}

/** Returns documents whose content matches a text; empty until they are loaded. */
function useFoundDocuments(name: string): readonly NamedDocument[] {
  const q = useDebounced(name, 250);
  const found = useResource(q.length < MIN_SEARCHED_LENGTH ? null : `named-documents:${q}`, () =>
    api.GET("/v1/knowledge/search", { params: { query: { q, limit: 20 } } }),
  );
  return found.value?.results ?? [];
}

function useDocumentsOf(collectionId: string | null): readonly NamedDocument[] {
  const query = { limit: 100 };
  const documents = useResource(collectionId && `documents:titles:${collectionId}`, () =>
    upTo(api.list("/v1/knowledge/collections/{id}/documents", { params: { path: { id: collectionId ?? "" }, query } })),
  );
  return (documents.value ?? [])
    .filter(({ indexed_version }) => indexed_version !== null)
    .map(({ id, collection_id, title }) => ({ document_id: id, collection_id, title }));
}

/**
 * Returns a function that suggests templates for `/`, and personas, collections and documents for `@`. Lists are loaded when
 * they are first needed. Choosing a collection opens its documents.
 * @param setPersona changes the persona; null if the user cannot
 * @param conversationId conversation to whose next question documents are added
 */
export function useSuggestions(
  draft: Signal<string>,
  setPersona: ((id: string | null) => void) | null,
  conversationId: string,
): () => readonly Suggestion[] {
  const text = draft.value;
  const setText = (next: string) => {
    draft.value = next;
  };
  const typed = findTyped(text);
  const isNamed = typed?.mark === "@";
  const [collection, setCollection] = useState<Collection | null>(null);
  // The next name begins with all collections.
  useEffect(() => {
    if (!isNamed) setCollection(null);
  }, [isNamed]);
  const personas = usePersonas();
  const templates = useTemplates(typed?.mark === "/");
  const collections = useCollections(isNamed);
  const found = useFoundDocuments(isNamed && !collection ? typed.name : "");
  const listed = useDocumentsOf(isNamed && collection ? collection.id : null);
  return () => {
    if (!typed) return [];
    const matches = (label: string) => label.toLowerCase().includes(typed.name.toLowerCase());
    if (typed.mark === "/") {
      return (templates.value?.templates ?? [])
        .filter(({ name }) => matches(name))
        .map(({ id, name, description, body }) => ({
          ...{ id, icon: "document", label: name, detail: description || body },
          choose: () => setText(body),
        }));
    }
    const withoutName = text.replace(typedName, "$1");
    const toDocument = (document: NamedDocument): Suggestion => ({
      id: document.document_id,
      icon: "document",
      label: document.title,
      detail: collections.value?.collections.find(({ id }) => id === document.collection_id)?.name ?? "",
      choose: () => {
        setText(withoutName);
        if (pendingDocuments(conversationId).value.length < MAX_QUESTION_DOCUMENTS)
          addDocuments(conversationId, [document]);
        else showToast(t("A question takes at most {count} documents.", { count: MAX_QUESTION_DOCUMENTS }), true);
      },
    });
    if (collection) return listed.filter(({ title }) => matches(title)).map(toDocument);
    const toPersona = (id: string | null, name: string, description: string): Suggestion => ({
      ...{ id: id ?? "", icon: "sparkle", label: name, detail: description || t("Persona") },
      choose: () => {
        setPersona?.(id);
        setText(withoutName);
      },
    });
    const ofPersonas = setPersona
      ? [
          toPersona(null, t("Assistant"), ""),
          ...(personas.value?.personas ?? []).map(({ id, name, description }) => toPersona(id, name, description)),
        ]
      : [];
    const ofCollections = (collections.value?.collections ?? []).map(
      (each): Suggestion => ({
        ...{ id: each.id, icon: "book", label: each.name, detail: t("Documents of the collection") },
        choose: () => {
          setCollection(each);
          setText(`${withoutName}@`);
        },
      }),
    );
    const ofDocuments = [...new Map(found.map((document) => [document.document_id, document])).values()].map(
      toDocument,
    );
    return [
      ...ofPersonas.filter(({ label }) => matches(label)).slice(0, MAX_OF_KIND),
      ...ofDocuments.slice(0, MAX_OF_KIND),
      ...ofCollections.filter(({ label }) => matches(label)).slice(0, MAX_OF_KIND),
    ];
  };
}
