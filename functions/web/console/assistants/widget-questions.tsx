import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { AnswerDialog, type AnswerDocument } from "../knowledge/answer-dialog.tsx";
import { invalidate } from "../lib/data.ts";
import { formatAgo, formatDateTime } from "../lib/format.ts";
import { t, tn } from "../lib/i18n.ts";
import { usePages } from "../lib/pages.ts";
import { showError } from "../lib/toast.ts";
import { api, can } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { MoreButton } from "../ui/list.tsx";
import { Empty, ResourceStatus } from "../ui/status.tsx";
import { VisitorSessionDialog } from "./visitor-session-dialog.tsx";

type Reply = ReplyOf<"/v1/tenant/embed-keys/{id}/questions", "get">;
type Question = Reply["questions"][number];

/** Topic with its questions, of which the first names it. */
interface Topic extends Omit<NonNullable<Reply["topics"]>[number], "question_ids"> {
  readonly first: Question;
  readonly others: readonly Question[];
}

/** Questions that one document answers, and the collection that probably should contain it. */
interface Answering {
  readonly questions: readonly Question[];
  readonly collectionId: string | null;
}

/** Number of questions that are grouped at once, the maximum of the service. */
const QUESTIONS_PER_PAGE = 200;

function toTopics({ questions, topics }: Reply): Topic[] {
  const byId = new Map(questions.map((question) => [question.id, question]));
  return (topics ?? []).flatMap(({ question_ids, ...topic }) => {
    const members = question_ids.flatMap((id) => byId.get(id) ?? []);
    const first = members.find(({ question }) => question === topic.question);
    return first ? [{ ...topic, first, others: members.filter((each) => each !== first) }] : [];
  });
}

async function setStatus(
  keyId: string,
  questions: readonly Question[],
  status: Question["status"],
  document?: AnswerDocument,
): Promise<void> {
  try {
    for (const { id } of questions) {
      await api.PATCH("/v1/tenant/embed-keys/{id}/questions/{question_id}", {
        params: { path: { id: keyId, question_id: id } },
        body: { status, ...(document && { document }) },
      });
    }
  } finally {
    invalidate(`visitors:${keyId}`);
  }
}

/** Columns with the number of times that something was asked, and with the latest time. */
const askedColumns = <Row extends { readonly count: number; readonly last_asked_at: string }>(): Column<Row>[] => [
  { label: t("Asked"), className: "nowrap", cell: ({ count }) => tn("{count} time", "{count} times", count) },
  {
    label: t("Last"),
    className: "nowrap",
    title: ({ last_asked_at }) => formatDateTime(last_asked_at),
    cell: ({ last_asked_at }) => formatAgo(last_asked_at),
  },
];

interface QuestionTextProps {
  readonly question: Question;
  readonly onRead: (sessionId: string) => void;
}

/** Question that opens the session in which it was asked last. */
const QuestionText = ({ question: { question, session_id }, onRead }: QuestionTextProps) => (
  <button type="button" class="link start" dir="auto" onClick={() => onRead(session_id)}>
    {question}
  </button>
);

interface ActionsProps {
  readonly onAnswer: () => void;
  readonly onSetAside: () => void;
}

const Actions = ({ onAnswer, onSetAside }: ActionsProps) => (
  <span class="row">
    {can("knowledge.create") && (
      <Button isSmall kind="primary" onClick={onAnswer}>
        {t("Answer")}
      </Button>
    )}
    <Button isSmall onClick={onSetAside}>
      {t("Set aside")}
    </Button>
  </span>
);

interface TopicDialogProps {
  readonly topic: Topic;
  readonly actionsFor: (questions: readonly Question[], topic: Topic) => ComponentChildren;
  readonly onRead: (sessionId: string) => void;
  readonly onClose: () => void;
}

/** Questions of a topic, which are answered one by one. */
const TopicDialog = ({ topic, actionsFor, onRead, onClose }: TopicDialogProps) => (
  <Dialog title={t("Questions of the topic")} onClose={onClose} isWide>
    <ul class="list stack">
      {[topic.first, ...topic.others].map((question) => (
        <li key={question.id} class="stack tight">
          <QuestionText question={question} onRead={onRead} />
          <span class="small muted">
            {tn("{count} time", "{count} times", question.count)} · {formatAgo(question.last_asked_at)}
          </span>
          {actionsFor([question], topic)}
        </li>
      ))}
    </ul>
  </Dialog>
);

const NoQuestions = () => (
  <Empty icon="check" title={t("No questions here")}>
    {t("Questions appear whose answer has no source, does not know, or was rated bad.")}
  </Empty>
);

interface OpenTopicsProps {
  readonly keyId: string;
  readonly personaId: string | null;
}

/** Unanswered questions by topic. A document answers all questions of a topic, or one of them. */
export function OpenTopics({ keyId, personaId }: OpenTopicsProps) {
  const list = usePages(
    `visitors:${keyId}:topics`,
    ({ cursor }) =>
      api.GET("/v1/tenant/embed-keys/{id}/questions", {
        params: { path: { id: keyId }, query: { topics: true, limit: QUESTIONS_PER_PAGE, ...(cursor && { cursor }) } },
      }),
    toTopics,
  );
  const [answering, setAnswering] = useState<Answering | null>(null);
  const [reading, setReading] = useState<string | null>(null);
  const [opened, setOpened] = useState<Topic | null>(null);
  const actionsFor = (questions: readonly Question[], { collection }: Topic) => (
    <Actions
      onAnswer={() => {
        setOpened(null);
        setAnswering({ questions, collectionId: collection?.id ?? null });
      }}
      onSetAside={() => {
        setOpened(null);
        setStatus(keyId, questions, "answered").catch(showError);
      }}
    />
  );
  const columns: Column<Topic>[] = [
    {
      label: t("Topic"),
      cell: (topic) => (
        <div class="stack tight">
          <QuestionText question={topic.first} onRead={setReading} />
          {topic.others.length > 0 && (
            <button type="button" class="link start small" onClick={() => setOpened(topic)}>
              {tn("{count} more question", "{count} more questions", topic.others.length)}
            </button>
          )}
        </div>
      ),
    },
    ...askedColumns<Topic>(),
    {
      label: t("Nearest collection"),
      cell: ({ collection }) =>
        collection ? <a href={`/console/knowledge/${collection.id}`}>{collection.name}</a> : "–",
    },
    { label: null, cell: (topic) => actionsFor([topic.first, ...topic.others], topic) },
  ];
  return (
    <>
      <ResourceStatus resource={list} />
      {list.value?.entries.length === 0 && <NoQuestions />}
      <DataTable rows={list.entries} keyOf={({ first }) => first.id} columns={columns} />
      <MoreButton list={list} />
      {opened && (
        <TopicDialog topic={opened} actionsFor={actionsFor} onRead={setReading} onClose={() => setOpened(null)} />
      )}
      {reading && <VisitorSessionDialog keyId={keyId} sessionId={reading} onClose={() => setReading(null)} />}
      {answering?.questions[0] && (
        <AnswerDialog
          question={answering.questions[0].question}
          alsoAnswered={answering.questions.slice(1).map(({ question }) => question)}
          collectionId={answering.collectionId}
          personaId={personaId}
          onStored={(document) => setStatus(keyId, answering.questions, "answered", document)}
          onClose={() => setAnswering(null)}
        />
      )}
    </>
  );
}

/** Questions that were answered or set aside, the last asked first. */
export function AnsweredQuestions({ keyId }: { readonly keyId: string }) {
  const list = usePages(
    `visitors:${keyId}:questions:answered`,
    (page) =>
      api.GET("/v1/tenant/embed-keys/{id}/questions", {
        params: { path: { id: keyId }, query: { status: "answered", ...page } },
      }),
    ({ questions }) => questions,
  );
  const [reading, setReading] = useState<string | null>(null);
  return (
    <>
      <ResourceStatus resource={list} />
      {list.value?.entries.length === 0 && <NoQuestions />}
      <DataTable
        rows={list.entries}
        keyOf={({ id }) => id}
        columns={[
          { label: t("Question"), cell: (question) => <QuestionText question={question} onRead={setReading} /> },
          ...askedColumns<Question>(),
          {
            label: null,
            cell: (question) => (
              <Button isSmall onClick={() => setStatus(keyId, [question], "open").catch(showError)}>
                {t("Reopen")}
              </Button>
            ),
          },
        ]}
      />
      <MoreButton list={list} />
      {reading && <VisitorSessionDialog keyId={keyId} sessionId={reading} onClose={() => setReading(null)} />}
    </>
  );
}
