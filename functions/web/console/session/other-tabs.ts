/** Ids of conversations whose stored messages have changed, from and to the other tabs of this browser. */
const channel = new BroadcastChannel("switchboard-conversations");

export const tellOtherTabs = (conversationId: string): void => channel.postMessage(conversationId);

/**
 * Calls back in a visible tab when another one has changed a conversation. A hidden tab looks when it is shown.
 * @returns a function that ends this
 */
export function onChangeInOtherTab(listen: (conversationId: string) => void): () => void {
  const receive = ({ data }: MessageEvent) => document.visibilityState === "visible" && listen(String(data));
  channel.addEventListener("message", receive);
  return () => channel.removeEventListener("message", receive);
}
