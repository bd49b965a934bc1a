import type { TestItem } from "../../../../../shared/api/evaluations/test-items.ts";
import { t, tn } from "../../lib/i18n.ts";
import { type FieldRule, refuseValues } from "../../lib/schema-fields.ts";
import { api } from "../../session/session.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { type ExpectationDraft, locateExpectations, toExpectationDraft, toExpectations } from "./expectation-drafts.ts";
import { ExpectationsField } from "./expectations-field.tsx";

/** Request body of a new item. The position in its paths is that of the only item, so that errors are reported at the fields. */
interface NewItemBody {
  readonly items: {
    readonly "0": { readonly question: string; readonly note: string; readonly expectations: ExpectationDraft[] };
  };
}

const textRule: FieldRule = {
  ...{ type: "text", isRequired: false, emptyValue: "", options: [], minimum: null, maximum: null },
};

/** Sends expectations, and reports those that the service cannot check at their fields. */
export async function sendExpectations<Reply>(
  drafts: readonly ExpectationDraft[],
  path: string,
  send: (expectations: ReturnType<typeof toExpectations>) => Promise<Reply>,
): Promise<Reply> {
  try {
    return await send(toExpectations(drafts, path));
  } catch (error) {
    throw locateExpectations(error, drafts, path);
  }
}

/** Form for a question with what is expected of the answers. */
export function NewItemDialog({ setId, onClose }: { readonly setId: string; readonly onClose: () => void }) {
  return (
    <FormDialog
      title={t("New item")}
      isWide
      value={{ items: { 0: { expectations: [] } } }}
      fields={[
        {
          name: "items.0.question",
          label: t("Question"),
          rows: 4,
          rule: { ...textRule, isRequired: true, emptyValue: undefined, minimum: 1 },
        },
        {
          name: "items.0.expectations",
          label: t("What is expected of the answer"),
          render: (control) => <ExpectationsField {...control} />,
        },
        { name: "items.0.note", label: t("Note"), rows: 2, rule: textRule },
      ]}
      resource={`test-sets:${setId}:items`}
      savedText={t("Saved.")}
      onSave={({ items: { 0: item } }: NewItemBody) =>
        sendExpectations(item.expectations, "items.0.expectations", async (expectations) => {
          const { duplicates, invalid } = await api.POST("/v1/test-sets/{id}/items", {
            params: { path: { id: setId } },
            body: { items: [{ ...item, expectations }] },
          });
          const problem = duplicates > 0 ? t("The set has this question already.") : invalid[0]?.message;
          if (problem) throw refuseValues([{ path: "items.0.question", message: problem }]);
        })
      }
      onClose={onClose}
    />
  );
}

/** Numbers of what an item has recorded, in words. */
function describeContext({ context }: TestItem): string {
  const { messages, files, passages, tool_results } = context;
  const parts = [
    [messages.length, tn("{count} earlier message", "{count} earlier messages", messages.length)],
    [files.length, tn("{count} file", "{count} files", files.length)],
    [passages?.length ?? 0, tn("{count} passage", "{count} passages", passages?.length ?? 0)],
    [tool_results.length, tn("{count} result of a tool", "{count} results of tools", tool_results.length)],
  ] as const;
  return parts.flatMap(([count, text]) => (count > 0 ? text : [])).join(" · ");
}

/** Form for what is expected of the answers to an item. Its question and context cannot be changed. */
export function ChangeItemDialog({
  setId,
  item,
  onClose,
}: {
  readonly setId: string;
  readonly item: TestItem;
  readonly onClose: () => void;
}) {
  const context = describeContext(item);
  return (
    <FormDialog
      title={t("Item")}
      isWide
      schema={bodySchema("/v1/test-sets/{id}/items/{test_item_id}", "patch")}
      value={{ note: item.note, expectations: item.expectations.map(toExpectationDraft) }}
      fields={[
        {
          name: "expectations",
          label: t("What is expected of the answer"),
          render: (control) => <ExpectationsField {...control} />,
        },
        { name: "note", label: t("Note"), rows: 2 },
      ]}
      resource={`test-sets:${setId}:items`}
      savedText={t("Saved.")}
      onSave={({ note, expectations = [] }) =>
        sendExpectations(expectations as unknown as ExpectationDraft[], "expectations", (sent) =>
          api.PATCH("/v1/test-sets/{id}/items/{test_item_id}", {
            params: { path: { id: setId, test_item_id: item.id } },
            body: { note, expectations: sent },
          }),
        )
      }
      onClose={onClose}
    >
      <p class="long-text" dir="auto">
        {item.question}
      </p>
      {context && <p class="muted small">{t("Recorded: {parts}", { parts: context })}</p>}
    </FormDialog>
  );
}
