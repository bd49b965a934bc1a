import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { pastedFiles } from "../../../../../shared/client/pasted-files.ts";
import { t } from "../../lib/i18n.ts";
import { showToast } from "../../lib/toast.ts";
import { IconButton } from "../../ui/buttons.tsx";
import { Icon, type IconName } from "../../ui/icons.tsx";
import { onDemand } from "../../ui/on-demand.tsx";
import { pendingDocuments } from "../documents/pending-documents.ts";
import { isIncomplete, pendingFiles } from "../files/pending-files.ts";

const PendingDocumentList = onDemand(() =>
  import("../documents/document-list.tsx").then((module) => module.PendingDocumentList),
);
const PendingFileList = onDemand(() =>
  import("../files/pending-file-list.tsx").then((module) => module.PendingFileList),
);

/** Maximum length of a message, in UTF-16 code units. */
export const MAX_LENGTH = 32_000;

/** Entry of the list that opens while the user types `/` or `@` and a part of a name. */
export interface Suggestion {
  readonly id: string;
  readonly icon: IconName;
  readonly label: string;
  readonly detail: string;
  readonly choose: () => void;
}

/** Selects the first placeholder, such as `{{text}}`, at or after a position. Returns false if there is none. */
function selectPlaceholder(field: HTMLTextAreaElement, start: number): boolean {
  const found = /\{\{[^{}]+\}\}/.exec(field.value.slice(start));
  if (found) field.setSelectionRange(start + found.index, start + found.index + found[0].length);
  return found !== null;
}

/** Text field for a message. Enter sends the message, Shift+Enter starts a new line. */
export function Composer({
  draft,
  onSend,
  onStop,
  isRunning,
  canQueue = false,
  isDisabled = false,
  hasFocus = true,
  label = t("Message"),
  placeholder = t("Ask anything"),
  suggest,
  filesOf = null,
  onFiles,
  children,
}: {
  /** Text of the field. With each letter, only the component that reads it is drawn again. */
  readonly draft: Signal<string>;
  readonly onSend: () => void;
  readonly onStop?: () => void;
  readonly isRunning: boolean;
  /** True if a message can be sent while an answer is being written. It is sent when the answer has ended. */
  readonly canQueue?: boolean;
  readonly isDisabled?: boolean;
  /** True to focus the field when it appears. */
  readonly hasFocus?: boolean;
  /** Accessible name of the text field. */
  readonly label?: string;
  readonly placeholder?: string;
  /**
   * Returns the templates, personas or documents for the name that is being typed after `/` or `@`; empty for any other text.
   */
  readonly suggest?: () => readonly Suggestion[];
  /** Conversation whose pending files and documents are sent with the message; null if the message cannot have any. */
  readonly filesOf?: string | null;
  /** Called with files that the user chose or pasted. */
  readonly onFiles?: (files: readonly File[]) => void;
  /** Controls below the field. */
  readonly children?: ComponentChildren;
}) {
  const value = draft.value;
  const field = useRef<HTMLTextAreaElement>(null);
  const listId = useId();
  const picker = useRef<HTMLInputElement>(null);
  const files = filesOf === null ? [] : pendingFiles(filesOf).value;
  const documents = filesOf === null ? [] : pendingDocuments(filesOf).value;
  // Files and documents are not queued: they belong to the question that is being written.
  const isQueued = canQueue && files.length + documents.length === 0;
  const isReady = value.trim() !== "" && !isDisabled && !isIncomplete(files) && (!isRunning || isQueued);
  const [selected, setSelected] = useState(0);
  const [closedFor, setClosedFor] = useState("");
  const suggestions = closedFor === value ? [] : (suggest?.() ?? []);
  const current = Math.min(selected, suggestions.length - 1);
  const choose = (suggestion: Suggestion | undefined) => {
    suggestion?.choose();
    setSelected(0);
    field.current?.focus();
    setFilling(true);
  };
  // The first placeholder of a template that was chosen is selected before the next key, so that typing replaces it.
  const [isFilling, setFilling] = useState(false);
  useLayoutEffect(() => {
    if (!isFilling) return;
    setFilling(false);
    if (field.current) selectPlaceholder(field.current, 0);
  }, [isFilling]);
  useEffect(() => {
    document.getElementById(`${listId}-${current}`)?.scrollIntoView({ block: "nearest" });
  }, [current, listId]);
  useEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${Math.min(element.scrollHeight, 260)}px`;
  }, [value]);
  useEffect(() => {
    // On phones, focus would open the keyboard over the conversation.
    if (hasFocus && matchMedia("(min-width: 761px)").matches) field.current?.focus();
  }, []);
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) onSend();
      }}
    >
      {suggestions.length > 0 && (
        <div class="suggestions" id={listId} role="listbox" aria-label={t("Suggestions")}>
          {suggestions.map((suggestion, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field below handles the keys of its list
            <div
              key={suggestion.id}
              id={`${listId}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === current}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => choose(suggestion)}
            >
              <Icon name={suggestion.icon} />
              <strong class="truncate">{suggestion.label}</strong>
              <span class="muted truncate grow">{suggestion.detail}</span>
            </div>
          ))}
        </div>
      )}
      {filesOf !== null && files.length > 0 && <PendingFileList conversationId={filesOf} files={files} />}
      {filesOf !== null && documents.length > 0 && (
        <PendingDocumentList conversationId={filesOf} documents={documents} />
      )}
      <textarea
        ref={field}
        aria-autocomplete={suggest ? "list" : undefined}
        aria-controls={suggestions.length > 0 ? listId : undefined}
        aria-activedescendant={suggestions.length > 0 ? `${listId}-${current}` : undefined}
        rows={1}
        dir="auto"
        maxLength={MAX_LENGTH}
        placeholder={isDisabled ? t("You can read this conversation.") : placeholder}
        aria-label={label}
        disabled={isDisabled}
        value={value}
        onInput={(event) => {
          draft.value = event.currentTarget.value;
        }}
        onPaste={(event) => {
          const pasted = pastedFiles(event.clipboardData);
          const text = event.clipboardData?.getData("text/plain") ?? "";
          const isTooLong = pasted.length === 0 && value.length + text.length > MAX_LENGTH;
          if (!onFiles || (pasted.length === 0 && !isTooLong)) return;
          event.preventDefault();
          onFiles(isTooLong ? [new File([text], `${t("Pasted text")}.txt`, { type: "text/plain" })] : pasted);
          if (isTooLong) showToast(t("The text is longer than a message and was attached as a file."));
        }}
        onKeyDown={(event) => {
          if (suggestions.length > 0) {
            const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
            const move = moves[event.key];
            if (move) setSelected((current + move + suggestions.length) % suggestions.length);
            else if (event.key === "Enter" || event.key === "Tab") choose(suggestions[current]);
            else if (event.key === "Escape") setClosedFor(value);
            if (move || ["Enter", "Tab", "Escape"].includes(event.key)) {
              event.preventDefault();
              return;
            }
          }
          const { currentTarget } = event;
          if (event.key === "Tab" && !event.shiftKey && selectPlaceholder(currentTarget, currentTarget.selectionEnd)) {
            event.preventDefault();
            return;
          }
          if (event.key !== "Enter" || event.shiftKey) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
      <div class="composer-bar">
        {onFiles && (
          <>
            <IconButton
              icon="attach"
              label={t("Attach files")}
              disabled={isDisabled}
              onClick={() => picker.current?.click()}
            />
            <input
              ref={picker}
              type="file"
              multiple
              hidden
              aria-label={t("Files of the question")}
              onChange={({ currentTarget }) => {
                onFiles([...(currentTarget.files ?? [])]);
                // The same file can be chosen again after it was removed.
                currentTarget.value = "";
              }}
            />
          </>
        )}
        <div class="row wrap grow">{children}</div>
        {isRunning && onStop ? (
          <button type="button" class="send" aria-label={t("Stop")} title={t("Stop")} onClick={onStop}>
            <Icon name="stop" />
          </button>
        ) : (
          <button type="submit" class="send" aria-label={t("Send")} title={t("Send")} disabled={!isReady || isRunning}>
            <Icon name="send" />
          </button>
        )}
      </div>
    </form>
  );
}
