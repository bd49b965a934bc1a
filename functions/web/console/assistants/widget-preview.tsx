import { useEffect, useRef, useState } from "preact/hooks";
import { isProblem, type ReplyOf } from "../../../../shared/client/index.ts";
import { invalidate } from "../lib/data.ts";
import { language, t } from "../lib/i18n.ts";
import { showError } from "../lib/toast.ts";
import { api, receptor } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";

type Theme = ReplyOf<"/v1/tenant/embed-keys", "get">["keys"][number]["theme"];

/** Widget key of the preview. Only the response that creates a key contains its text, so the browser stores it. */
interface PreviewKey {
  readonly id: string;
  readonly key: string;
}

/** Time without a change after which the preview shows the changes, in ms. */
const SETTLE_MS = 400;

const storageName = () => `switchboard.widget-preview.${receptor.value?.tenant.tenant_id}`;

function readKey(): PreviewKey | null {
  const stored = localStorage.getItem(storageName());
  return stored === null ? null : (JSON.parse(stored) as PreviewKey);
}

interface WidgetElement extends HTMLElement {
  destroy(): void;
}

/** Script URLs must be trusted objects in browsers that support `require-trusted-types-for`. */
function toScriptUrl(url: string, { trustedTypes }: { trustedTypes?: TrustedTypes }): string {
  const policy = trustedTypes?.createPolicy("widget-preview", { createScriptURL: (text) => text });
  return policy ? policy.createScriptURL(url) : url;
}

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL: (url: string) => string };
}

/** Shows the widget in a frame, with the panel open. The focus stays where it is. */
function mountWidget(frame: HTMLIFrameElement, { key }: PreviewKey): void {
  const page = frame.contentDocument;
  const view = frame.contentWindow;
  if (!page || !view) return;
  const storageKey = `assistant-chat:${key}`;
  page.documentElement.lang = language.value;
  page.documentElement.dir = document.documentElement.dir;
  page.querySelector<WidgetElement>("assistant-chat")?.destroy();
  // The persona can have changed, so each preview starts a session of its own.
  localStorage.removeItem(storageKey);
  view.sessionStorage.setItem(storageKey, "open");
  if (page.querySelector("script")) {
    const widget = page.createElement("assistant-chat");
    widget.setAttribute("embed-key", key);
    page.body.append(widget);
  } else {
    const script = page.createElement("script");
    script.dataset.embedKey = key;
    script.src = toScriptUrl(`${location.origin}/v1/embed/widget.js`, view as { trustedTypes?: TrustedTypes });
    page.head.append(script);
  }
}

/** Running widget with a theme and a persona that are not saved yet. It uses a key of its own for the console's address. */
export function WidgetPreview({ personaId, theme }: { readonly personaId: string | null; readonly theme: Theme }) {
  const [previewKey, setPreviewKey] = useState(readKey);
  const frame = useRef<HTMLIFrameElement>(null);
  const settings = JSON.stringify({ persona_id: personaId, theme });
  useEffect(() => {
    if (previewKey === null) return;
    let isCurrent = true;
    const show = async () => {
      const params = { path: { id: previewKey.id } };
      try {
        await api.PATCH("/v1/tenant/embed-keys/{id}", { params, body: JSON.parse(settings) });
        // Browsers cache the theme for five minutes.
        await fetch("/v1/embed/config", { headers: { "x-embed-key": previewKey.key }, cache: "reload" });
        if (isCurrent && frame.current) mountWidget(frame.current, previewKey);
      } catch (error) {
        if (!isCurrent) return;
        if (isProblem(error, "not_found")) {
          localStorage.removeItem(storageName());
          setPreviewKey(null);
        } else if (!isProblem(error, "validation_failed")) showError(error);
      }
    };
    const timer = setTimeout(show, SETTLE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [previewKey, settings]);
  const start = async () => {
    try {
      const { id, key } = await api.POST("/v1/tenant/embed-keys", {
        body: { ...JSON.parse(settings), name: t("Preview in the console"), allowed_origins: [location.origin] },
      });
      localStorage.setItem(storageName(), JSON.stringify({ id, key }));
      setPreviewKey({ id, key });
      invalidate("embed-keys");
    } catch (error) {
      showError(error);
    }
  };
  return (
    <section class="widget-preview" aria-label={t("Preview")}>
      {previewKey ? (
        <iframe ref={frame} title={t("Preview of the widget")} />
      ) : (
        <div class="stack tight">
          <p class="muted small">
            {t("The preview is a running widget. It uses a widget key of its own, for the address of this console.")}
          </p>
          <Button onClick={start}>{t("Start the preview")}</Button>
        </div>
      )}
    </section>
  );
}
