import { useEffect } from "preact/hooks";
import { useRoute } from "preact-iso";
import { t } from "../lib/i18n.ts";
import { useTitle } from "../ui/layout.tsx";
import { onDemand } from "../ui/on-demand.tsx";
import { ConversationPanel } from "./conversation-panel.tsx";
import { NewConversation } from "./new-conversation.tsx";

const loadConversation = () => import("./conversation.tsx").then(({ Conversation }) => Conversation);
const Conversation = onDemand(loadConversation);

/** Time after which the code of a conversation is loaded in the background, in ms, before the first message is sent. */
const PRELOAD_DELAY_MS = 500;

/** View with the conversations and the selected one. */
export function ChatView() {
  const { id } = useRoute().params;
  useTitle(t("Chat"));
  useEffect(() => {
    const timer = setTimeout(() => loadConversation().catch(() => {}), PRELOAD_DELAY_MS);
    return () => clearTimeout(timer);
  }, []);
  const isList = !id && !new URLSearchParams(location.search).has("new");
  return (
    <div class={`split ${isList ? "list" : "detail"}`}>
      <ConversationPanel current={id ?? null} isOnly={isList} />
      {id ? <Conversation key={id} id={id} /> : <NewConversation />}
    </div>
  );
}
