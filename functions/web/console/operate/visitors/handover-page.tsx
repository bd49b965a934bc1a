import { useEffect, useRef, useState } from "preact/hooks";
import type { EmbedMessage } from "../../../../../shared/api/embed/embed-message.ts";
import type { Handover } from "../../../../../shared/api/embed/handovers.ts";
import { isComposing } from "../../../../../shared/client/is-composing.ts";
import { AnswerDialog } from "../../knowledge/answer-dialog.tsx";
import { showModelError } from "../../knowledge/ask-once.ts";
import { invalidate, type Resource, repeatWhileVisible, updateResource, useResource } from "../../lib/data.ts";
import { formatDateTime } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { showError } from "../../lib/toast.ts";
import { api, can, receptor } from "../../session/session.ts";
import { Button } from "../../ui/buttons.tsx";
import { TextField } from "../../ui/fields.tsx";
import { Form, FormActions, FormError } from "../../ui/form.tsx";
import { FieldForm, FormDialog } from "../../ui/form-dialog.tsx";
import { PageLayout } from "../../ui/layout.tsx";
import { Badge, ResourceStatus } from "../../ui/status.tsx";
import { VisitorMessage } from "../../ui/visitor-message.tsx";
import { draftAnswer, quoteMessages, toMessageText } from "./draft-answer.ts";
import { describeReason, describeStatus } from "./handover-texts.ts";

/** Interval at which new messages are loaded, in milliseconds. */
const INTERVAL_MS = 3_000;

/** Interval at which the visitor is told that the person is typing, in milliseconds. */
const TYPING_INTERVAL_MS = 4_000;

interface Loaded {
  readonly handover: Handover;
  readonly messages: readonly EmbedMessage[];
}

const keyOf = (id: string) => `handover:${id}`;

/** Adds messages that are not shown yet. */
const join = (shown: readonly EmbedMessage[], added: readonly EmbedMessage[]) => [
  ...shown,
  ...added.filter(({ message_id }) => shown.every((each) => each.message_id !== message_id)),
];

/** Loads a hand-over, and then only the messages that follow. */
function useHandover(id: string): Resource<Loaded> & { readonly reload: () => void } {
  const resource: Resource<Loaded> & { reload: () => void } = useResource(keyOf(id), async () => {
    const shown = resource.value?.messages ?? [];
    const after = shown.at(-1)?.message_id;
    const loaded = await api.GET("/v1/handovers/{id}", { params: { path: { id }, query: after ? { after } : {} } });
    return { handover: loaded.handover, messages: join(shown, loaded.messages) };
  });
  useEffect(() => repeatWhileVisible(resource.reload, INTERVAL_MS), [id]);
  return resource;
}

async function change(id: string, body: Parameters<typeof api.PATCH<"/v1/handovers/{id}">>[1]["body"]): Promise<void> {
  const handover = await api.PATCH("/v1/handovers/{id}", { params: { path: { id } }, body });
  updateResource<Loaded>(keyOf(id), (loaded) => ({ ...loaded, handover }));
  invalidate("handovers");
}

/** Session of a visitor with a person: the conversation, the answer, and what happens to it. */
export function HandoverPage({ id }: { readonly id: string }) {
  const resource = useHandover(id);
  const { handover, messages = [] } = resource.value ?? {};
  const end = useRef<HTMLDivElement>(null);
  const count = messages.length;
  useEffect(() => end.current?.scrollIntoView({ block: "nearest" }), [count]);
  const [kind, text] = describeStatus(handover?.status ?? "waiting");
  return (
    <PageLayout
      title={handover?.site ?? t("Visitors")}
      intro={handover && <Badge kind={kind}>{text}</Badge>}
      back={{ path: "/console/operate/visitors", label: t("Visitors") }}
    >
      <ResourceStatus resource={resource} />
      {handover && (
        <>
          <p class="muted small">
            {[
              describeReason(handover.reason),
              formatDateTime(handover.requested_at),
              ...(handover.form ?? []).map(({ label, value }) => `${label}: ${value}`),
              handover.visitor?.id,
              handover.visitor?.email,
              handover.contact_email && t("Left the address {address}", { address: handover.contact_email }),
            ]
              .filter(Boolean)
              .join(" · ")}
          </p>
          <div class="stack" role="log" aria-label={t("Conversation")}>
            {messages.map((message) => (
              <VisitorMessage key={message.message_id} message={message} />
            ))}
          </div>
          <div ref={end} />
          <Actions handover={handover} messages={messages} />
          <Learning handover={handover} messages={messages} />
          <FieldForm
            schema={bodySchema("/v1/handovers/{id}", "patch")}
            value={{ note: handover.note }}
            fields={() => [
              {
                name: "note",
                label: t("Internal note"),
                hint: t("Neither the visitor nor the assistant sees it."),
                rows: 2,
              },
            ]}
            onSave={({ note }) => change(id, { note: note ?? "" })}
          />
        </>
      )}
    </PageLayout>
  );
}

function Actions({ handover, messages }: Loaded) {
  const { id, status, person } = handover;
  const [ending, setEnding] = useState<"returned" | "closed" | null>(null);
  const isOwn = status === "claimed" && person?.user_id === receptor.value?.user.user_id;
  if (!isOwn) {
    const isTaken = status === "claimed";
    const claim = { status: "claimed" as const, ...(isTaken && person && { take_over_from: person.user_id }) };
    return (
      <div class="row wrap">
        <Button kind="primary" onClick={() => change(id, claim).catch(showError)}>
          {isTaken
            ? t("Take over from {name}", { name: person?.name ?? person?.user_id ?? "" })
            : t("Answer the visitor")}
        </Button>
      </div>
    );
  }
  return (
    <>
      <Reply handover={handover} messages={messages} onEnd={setEnding} />
      {ending && (
        <FormDialog
          title={ending === "returned" ? t("Return to the assistant") : t("Close the matter")}
          action={ending === "returned" ? t("Return") : t("Close")}
          schema={bodySchema("/v1/handovers/{id}", "patch")}
          value={{}}
          fields={() => [{ name: "outcome", label: t("Reason"), hint: t("For your team. You can leave it out.") }]}
          onSave={({ outcome }) => change(id, { status: ending, ...(outcome && { outcome }) })}
          savedText={t("Saved.")}
          onClose={() => setEnding(null)}
        />
      )}
    </>
  );
}

/** Button that makes a document of what persons answered, so that the assistant knows it next time. */
function Learning({ handover: { question, persona_id }, messages }: Loaded) {
  const [isOpen, setOpen] = useState(false);
  const first = messages.findIndex(({ person }) => person);
  const asked = messages.slice(0, Math.max(0, first)).findLast(({ role }) => role === "user");
  const answers = messages.filter(({ person }) => person).map(({ content }) => toMessageText(content));
  if (answers.length === 0 || !can("knowledge.create")) return null;
  return (
    <div class="row wrap">
      <Button icon="book" onClick={() => setOpen(true)}>
        {t("Make a document of the answer")}
      </Button>
      {isOpen && (
        <AnswerDialog
          question={asked ? toMessageText(asked.content) : question}
          answer={answers.join("\n\n")}
          conversation={quoteMessages(messages)}
          personaId={persona_id}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  );
}

interface ReplyProps extends Loaded {
  readonly onEnd: (status: "returned" | "closed") => void;
}

function Reply({ handover, messages, onEnd }: ReplyProps) {
  const { id } = handover;
  const [text, setText] = useState("");
  const typedAt = useRef(0);
  const form = useRef<HTMLDivElement>(null);
  const drafting = useRef(new AbortController());
  const [isDrafting, setDrafting] = useState(false);
  useEffect(() => () => drafting.current.abort(), []);
  const draft = async () => {
    setDrafting(true);
    try {
      await draftAnswer(handover, messages, setText, drafting.current.signal);
    } catch (error) {
      if (!drafting.current.signal.aborted) showModelError(error);
    }
    setDrafting(false);
  };
  const type = (value: string) => {
    setText(value);
    if (Date.now() - typedAt.current < TYPING_INTERVAL_MS) return;
    typedAt.current = Date.now();
    // The next letter says it again.
    api.PATCH("/v1/handovers/{id}", { params: { path: { id } }, body: { is_typing: true } }).catch(() => {});
  };
  const send = async () => {
    const content = text.trim();
    if (!content) return;
    const message = await api.POST("/v1/handovers/{id}/messages", { params: { path: { id } }, body: { content } });
    setText("");
    typedAt.current = 0;
    updateResource<Loaded>(keyOf(id), ({ handover, messages }) => ({ handover, messages: join(messages, [message]) }));
  };
  return (
    <div ref={form}>
      <Form onSubmit={send}>
        <TextField
          label={t("Your answer")}
          name="content"
          rows={3}
          maxLength={8_000}
          value={text}
          onValue={type}
          autoFocus
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || isComposing(event)) return;
            event.preventDefault();
            form.current?.querySelector("form")?.requestSubmit();
          }}
        />
        <FormError />
        <FormActions>
          <Button type="button" icon="sparkle" disabled={isDrafting} onClick={draft}>
            {t("Suggest an answer")}
          </Button>
          <Button type="button" onClick={() => onEnd("returned")}>
            {t("Return to the assistant")}
          </Button>
          <Button type="button" onClick={() => onEnd("closed")}>
            {t("Close the matter")}
          </Button>
          <Button kind="primary" type="submit">
            {t("Send")}
          </Button>
        </FormActions>
      </Form>
    </div>
  );
}
