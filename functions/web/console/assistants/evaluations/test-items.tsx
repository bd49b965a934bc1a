import { useState } from "preact/hooks";
import type { TestItem } from "../../../../../shared/api/evaluations/test-items.ts";
import { t } from "../../lib/i18n.ts";
import { usePages } from "../../lib/pages.ts";
import { api } from "../../session/session.ts";
import { Button, IconButton } from "../../ui/buttons.tsx";
import { ResourceSection } from "../../ui/resource-page.tsx";
import { detailOf, expectationTexts } from "./expectation-drafts.ts";
import { ItemsImportDialog } from "./items-import-dialog.tsx";
import { ChangeItemDialog, NewItemDialog } from "./test-item-dialog.tsx";

/** Expectations of an item, one in each line. */
function Expectations({ item: { expectations } }: { readonly item: TestItem }) {
  if (expectations.length === 0) return <>–</>;
  const texts = expectationTexts();
  return (
    <ul class="values">
      {expectations.map((expectation, index) => (
        <li key={index} class="clamp">
          {texts[expectation.type]} <bdi class="muted">{detailOf(expectation)}</bdi>
        </li>
      ))}
    </ul>
  );
}

/** Link to the answer from which an item was made. */
function SourceLink({ item: { source } }: { readonly item: TestItem }) {
  if (!source) return <>–</>;
  return <a href={`/console/chat/${source.conversation_id}?message=${source.message_id}`}>{t("Answer")}</a>;
}

/** Items of a test set. */
export function TestItems({ setId }: { readonly setId: string }) {
  const key = `test-sets:${setId}:items`;
  const list = usePages(
    key,
    (page) => api.GET("/v1/test-sets/{id}/items", { params: { path: { id: setId }, query: page } }),
    ({ items }) => items,
  );
  const [isImporting, setImporting] = useState(false);
  return (
    <>
      <ResourceSection
        label={t("Items")}
        resource={list}
        entries={list.value?.entries}
        name={key}
        create={(open) => (
          <div class="row wrap">
            <Button icon="plus" onClick={open}>
              {t("Add an item")}
            </Button>
            <Button icon="upload" onClick={() => setImporting(true)}>
              {t("Import a file")}
            </Button>
          </div>
        )}
        dialog={(item, close) =>
          item ? (
            <ChangeItemDialog setId={setId} item={item} onClose={close} />
          ) : (
            <NewItemDialog setId={setId} onClose={close} />
          )
        }
        empty={{
          icon: "list",
          title: t("No item yet"),
          text: t("Add questions here, from a file, or from an answer in a chat with “Add to a test set”."),
        }}
        textOf={({ question, note, expectations }) => [question, note, ...expectations.map(detailOf)].join(" ")}
        columns={({ edit, confirm }) => [
          {
            label: t("Question"),
            className: "text",
            cell: (item) => (
              <button type="button" class="link clamp" dir="auto" onClick={() => edit(item)}>
                {item.question.slice(0, 300)}
              </button>
            ),
          },
          { label: t("Expectations"), className: "text", cell: (item) => <Expectations item={item} /> },
          { label: t("Note"), className: "text", cell: ({ note }) => <span class="clamp">{note || "–"}</span> },
          { label: t("Source"), cell: (item) => <SourceLink item={item} /> },
          {
            label: null,
            cell: (item) => (
              <IconButton
                icon="trash"
                label={t("Delete {name}", { name: item.question.slice(0, 80) })}
                onClick={() =>
                  confirm({
                    title: t("Delete this item?"),
                    text: t("Later runs do not answer it any more. Results of earlier runs stay."),
                    send: () =>
                      api.DELETE("/v1/test-sets/{id}/items/{test_item_id}", {
                        params: { path: { id: setId, test_item_id: item.id } },
                      }),
                  })
                }
              />
            ),
          },
        ]}
      />
      {isImporting && <ItemsImportDialog setId={setId} onClose={() => setImporting(false)} />}
    </>
  );
}
