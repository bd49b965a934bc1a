import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../lib/i18n.ts";
import { IconButton } from "../ui/buttons.tsx";

/** Panel next to a conversation. It takes the focus when it opens and returns it when it closes; Escape closes it. */
export function SidePanel({
  label,
  title,
  details,
  onClose,
  children,
}: {
  readonly label: string;
  readonly title: string;
  /** Content below the title. */
  readonly details?: ComponentChildren;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const ref = useRef<HTMLElement>(null);
  useEffect(() => {
    const panel = ref.current;
    const opener = document.activeElement;
    if (!panel?.contains(opener)) panel?.focus();
    return () => {
      const hasFocus = panel?.contains(document.activeElement);
      if (hasFocus && opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <aside
      class="side-panel"
      ref={ref}
      tabIndex={-1}
      aria-label={label}
      onKeyDown={(event) => event.key === "Escape" && onClose()}
    >
      <header>
        <div class="grow">
          <h2 class="truncate">{title}</h2>
          {details}
        </div>
        <IconButton icon="close" label={t("Close")} onClick={onClose} />
      </header>
      {children}
    </aside>
  );
}
