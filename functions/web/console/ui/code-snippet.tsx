import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { CodeToken } from "../lib/highlight.ts";
import { t } from "../lib/i18n.ts";
import { Button, CopyButton, IconButton } from "./buttons.tsx";

/** Time for which code must not change before it is colored, in ms: it grows while an answer is written. */
const HIGHLIGHT_DELAY_MS = 150;

/** Returns the tokens of code once they are known; null for code without a known language. */
function useHighlight(code: string, language: string | null): readonly CodeToken[] | null {
  const [highlighted, setHighlighted] = useState<{ code: string; tokens: readonly CodeToken[] | null } | null>(null);
  useEffect(() => {
    if (!language) return;
    const timer = setTimeout(() => {
      import("../lib/highlight.ts").then(
        ({ highlight }) => setHighlighted({ code, tokens: highlight(code, language) }),
        // The code is shown without colors.
        () => {},
      );
    }, HIGHLIGHT_DELAY_MS);
    return () => clearTimeout(timer);
  }, [code, language]);
  return highlighted?.code === code ? highlighted.tokens : null;
}

/** Number of lines above which code is folded. */
const MAX_FOLDED_LINES = 24;

/** Code with a title and buttons to copy it and to wrap its lines. Long code is folded. */
export function CodeSnippet({
  title,
  code,
  language = null,
  actions,
}: {
  readonly title: string;
  readonly code: string;
  /** Language whose syntax is colored. */
  readonly language?: string | null;
  /** Further buttons of the head. */
  readonly actions?: ComponentChildren;
}) {
  const tokens = useHighlight(code, language);
  const [isWrapped, setWrapped] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const lineCount = code.split("\n").length;
  const isFolded = lineCount > MAX_FOLDED_LINES && !isOpen;
  return (
    <div class={`code ${isFolded ? "folded" : ""}`} dir="ltr">
      <div class="code-head">
        <span>{title}</span>
        <span class="row">
          {actions}
          <IconButton
            icon="wrap"
            label={t("Wrap long lines")}
            aria-pressed={isWrapped}
            onClick={() => setWrapped(!isWrapped)}
          />
          <CopyButton text={code} label={t("Copy code")} />
        </span>
      </div>
      {/* Focusable, so that long lines can be scrolled with the keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <pre tabIndex={0} class={isWrapped ? "wrap" : ""}>
        <code>
          {tokens?.map(([text, kind], index) =>
            kind ? (
              <span key={index} class={`tok-${kind}`}>
                {text}
              </span>
            ) : (
              text
            ),
          ) ?? code}
        </code>
      </pre>
      {lineCount > MAX_FOLDED_LINES && (
        <Button isSmall kind="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? t("Show less") : t("Show all {count} lines", { count: lineCount })}
        </Button>
      )}
    </div>
  );
}
