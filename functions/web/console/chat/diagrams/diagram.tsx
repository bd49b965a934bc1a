import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { DrawReply } from "../../diagram/frame.ts";
import { t } from "../../lib/i18n.ts";
import { Button } from "../../ui/buttons.tsx";

/**
 * Maximum length of a diagram's source, in UTF-16 code units. Longer ones are not drawn, because they could block the
 * browser.
 */
const MAX_SOURCE_LENGTH = 50_000;

/** Time after which a drawing that is not complete is given up and its frame removed. */
const TIMEOUT_MS = 10_000;

const MAX_HEIGHT = 900;

/**
 * Diagram or chart that a page in a sandboxed frame draws, without access to the console or to other hosts.
 * @param children source or data, which is shown until the drawing is complete, if it fails, and when the user asks for it
 */
export function Diagram({
  kind,
  title,
  source,
  children,
}: {
  readonly kind: "mermaid" | "vega" | "markup";
  readonly title: string;
  readonly source: string;
  readonly children: ComponentChildren;
}) {
  const frame = useRef<HTMLIFrameElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [height, setHeight] = useState(0);
  const [hasFailed, setFailed] = useState(source.length > MAX_SOURCE_LENGTH);
  const [isSourceShown, setSourceShown] = useState(false);
  useEffect(() => {
    const onMessage = ({ data, source: sender }: MessageEvent<DrawReply>) => {
      if (sender !== frame.current?.contentWindow) return;
      clearTimeout(timer.current);
      if ("height" in data && data.height > 0) setHeight(Math.min(Number(data.height), MAX_HEIGHT));
      else setFailed(true);
    };
    addEventListener("message", onMessage);
    return () => {
      clearTimeout(timer.current);
      removeEventListener("message", onMessage);
    };
  }, []);
  const draw = () => {
    timer.current = setTimeout(() => setFailed(true), TIMEOUT_MS);
    const element = frame.current;
    const scheme = document.documentElement.dataset.theme;
    const isDark = scheme ? scheme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    element?.contentWindow?.postMessage({ source, isDark, width: element.clientWidth }, "*");
  };
  if (hasFailed) return <>{children}</>;
  const isDrawn = height > 0;
  return (
    <figure class="diagram" aria-label={title}>
      <iframe
        ref={frame}
        class={isDrawn ? "" : "pending"}
        title={title}
        src={`/diagrams/${kind}.html`}
        sandbox="allow-scripts"
        loading="lazy"
        style={{ height: `${height}px` }}
        onLoad={draw}
      />
      {isDrawn && (
        <Button isSmall kind="quiet" aria-expanded={isSourceShown} onClick={() => setSourceShown(!isSourceShown)}>
          {kind === "vega" ? t("Data") : t("Source text")}
        </Button>
      )}
      {(!isDrawn || isSourceShown) && children}
    </figure>
  );
}
