import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { t } from "../lib/i18n.ts";
import { useCollections } from "../lib/lists.ts";
import { can } from "../session/session.ts";
import { Button, IconButton } from "../ui/buttons.tsx";
import { Icon } from "../ui/icons.tsx";
import { PageLayout, Panel } from "../ui/layout.tsx";
import { Empty, ResourceStatus } from "../ui/status.tsx";
import { CollectionDialog } from "./collection-dialog.tsx";
import { CollectionView } from "./collection-view.tsx";
import { DocumentView } from "./document-view.tsx";
import { SearchPlayground } from "./search-playground.tsx";

/** View with the collections, their documents and the search. */
export function KnowledgeView() {
  const { id, document } = useRoute().params;
  const { route } = useLocation();
  const [isCreating, setCreating] = useState(false);
  const list = useCollections();
  const collections = list.value?.collections ?? [];
  const current = collections.find((collection) => collection.id === id);
  // Without a collection, a phone shows how to create one instead of an empty list.
  const isList = !id && (list.value === null || collections.length > 0);
  return (
    <div class={`split ${isList ? "list" : "detail"}`}>
      <Panel
        title={t("Collections")}
        isOnly={isList}
        actions={
          can("knowledge.create") && (
            <IconButton icon="plus" label={t("New collection")} onClick={() => setCreating(true)} />
          )
        }
      >
        <nav class="scroll" aria-label={t("Collections")}>
          <a class="item" href="/console/knowledge" aria-current={id ? undefined : "page"}>
            <Icon name="search" />
            {t("Search everything")}
          </a>
          <p class="group">{t("Collections")}</p>
          <ResourceStatus resource={list} />
          {collections.map((collection) => (
            <a
              key={collection.id}
              class="item"
              href={`/console/knowledge/${collection.id}`}
              aria-current={collection.id === id ? "page" : undefined}
            >
              <Icon name="book" />
              <span class="truncate grow">{collection.name}</span>
              <span class="muted small">{collection.document_count}</span>
            </a>
          ))}
        </nav>
      </Panel>
      {id && document ? (
        <DocumentView
          key={document}
          collectionId={id}
          documentId={document}
          collectionName={current?.name ?? ""}
          ownerId={current?.owner_id}
        />
      ) : id ? (
        <CollectionView key={id} id={id} />
      ) : (
        <PageLayout
          title={t("Knowledge")}
          intro={t(
            "Documents that the assistant searches and cites. Try a question to see the passages that it would find.",
          )}
          actions={
            can("knowledge.create") && (
              <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
                {t("New collection")}
              </Button>
            )
          }
        >
          {list.value !== null && collections.length === 0 ? (
            <Empty
              icon="book"
              title={t("No collection yet")}
              action={
                can("knowledge.create") ? (
                  <Button kind="primary" onClick={() => setCreating(true)}>
                    {t("Create a collection")}
                  </Button>
                ) : undefined
              }
            >
              {t("A collection holds documents about one topic, such as a handbook or product manuals.")}
            </Empty>
          ) : (
            <SearchPlayground collectionId={null} />
          )}
        </PageLayout>
      )}
      {isCreating && (
        <CollectionDialog
          collection={null}
          onClose={() => setCreating(false)}
          onSaved={(created) => route(`/console/knowledge/${created}`)}
        />
      )}
    </div>
  );
}
