import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../lib/i18n.ts";
import { Icon } from "../ui/icons.tsx";

/** Maximum length of a message, in characters. */
const MAX_LENGTH = 32_000;

/** Field for a message. Enter sends it, Shift and Enter start a new line. */
export function Composer({
  value,
  onValue,
  onSend,
  onStop,
  isRunning,
  isDisabled = false,
  hasFocus = true,
  label = t("Message"),
  placeholder = t("Ask anything"),
  children,
}: {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly onSend: () => void;
  readonly onStop?: () => void;
  readonly isRunning: boolean;
  readonly isDisabled?: boolean;
  /** Focuses the field when it is shown. */
  readonly hasFocus?: boolean;
  /** Accessible name of the field. */
  readonly label?: string;
  readonly placeholder?: string;
  /** Controls below the field. */
  readonly children?: ComponentChildren;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
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
        if (value.trim() && !isRunning && !isDisabled) onSend();
      }}
    >
      <textarea
        ref={field}
        rows={1}
        maxLength={MAX_LENGTH}
        placeholder={isDisabled ? t("You can read this conversation.") : placeholder}
        aria-label={label}
        disabled={isDisabled}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
      <div class="composer-bar">
        <div class="row wrap grow">{children}</div>
        {isRunning && onStop ? (
          <button type="button" class="send" aria-label={t("Stop")} title={t("Stop")} onClick={onStop}>
            <Icon name="stop" />
          </button>
        ) : (
          <button
            type="submit"
            class="send"
            aria-label={t("Send")}
            title={t("Send")}
            disabled={!value.trim() || isDisabled || isRunning}
          >
            <Icon name="send" />
          </button>
        )}
      </div>
    </form>
  );
}
