import { createElement, useEffect, useRef } from "react";
import { loadAssistantChat } from "./index.js";

const events = ["ready", "open", "close", "message", "error", "handover"];
const toProperty = (event) => `on${event[0].toUpperCase()}${event.slice(1)}`;

/** Widget as a React component. Other settings start another widget, whose session is resumed. */
export function AssistantChat(props) {
  const { baseUrl, embedKey, locale, visitorId, visitorSignature, visitorToken } = props;
  const key = JSON.stringify([baseUrl, embedKey, locale, visitorId, visitorSignature, visitorToken]);
  return createElement(ChatElement, { key, ...props });
}

function ChatElement({ chatRef, ...props }) {
  const { baseUrl, embedKey, locale, dir, theme, position, visitorId, visitorSignature, visitorToken } = props;
  const element = useRef(null);
  const current = useRef(props);
  current.current = props;
  const isHandedOver = props.onHandover !== undefined;

  useEffect(() => {
    const subscriptions = [];
    let isGone = false;
    loadAssistantChat(baseUrl).then(
      () => {
        if (isGone) return;
        // Only a listener for this event adds its button.
        for (const event of events.filter((name) => name !== "handover" || isHandedOver)) {
          const listener = (detail) => current.current[toProperty(event)]?.(detail);
          subscriptions.push(element.current.on(event, listener));
        }
        if (chatRef) chatRef.current = element.current;
      },
      (error) => isGone || current.current.onError?.({ kind: "network", error }),
    );
    return () => {
      isGone = true;
      for (const unsubscribe of subscriptions) unsubscribe();
      if (chatRef) chatRef.current = null;
    };
  }, [baseUrl, isHandedOver, chatRef]);

  return createElement("assistant-chat", {
    ref: element,
    "base-url": baseUrl,
    "embed-key": embedKey,
    locale,
    dir,
    theme,
    position,
    "visitor-id": visitorId,
    "visitor-signature": visitorSignature,
    "visitor-token": visitorToken,
  });
}
