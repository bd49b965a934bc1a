import { useEffect } from "preact/hooks";
import { useRoute } from "preact-iso";
import { t } from "../lib/i18n.ts";
import { useTitle } from "../ui/layout.tsx";
import { onDemand } from "../ui/on-demand.tsx";
import { ConversationPanel } from "./conversation-panel.tsx";
import { NewConversation } from "./new-conversation.tsx";

const loadConversation = () => import("./conversation.tsx").then(({ ConversationView }) => ConversationView);
const ConversationView = onDemand(loadConversation);

/**
 * Delay in ms after which the code of a conversation is loaded in the background, so that the first message need not wait for
 * it.
 */
const PRELOAD_DELAY_MS = 500;

/** Chat view: the list of conversations and the selected conversation. */
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
      {id ? <ConversationView key={id} id={id} /> : <NewConversation />}
    </div>
  );
}
