import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { t } from "./lib/i18n.ts";
import { useCollections, useConversations, usePersonas } from "./lib/lists.ts";
import { messagePath, useDebounced, useMessageSearch } from "./lib/message-search.ts";
import { setTheme, theme } from "./lib/theme.ts";
import { listAreas, mainDestinations } from "./navigation.ts";
import { Icon, type IconName } from "./ui/icons.tsx";

interface Command {
  readonly label: string;
  readonly kind: string;
  readonly icon: IconName;
  readonly run: () => void;
}

/** Dialog that finds views, conversations, collections and personas by typing. */
export function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const { route } = useLocation();
  const dialog = useRef<HTMLDialogElement>(null);
  const [query, setQuery] = useState("");
  const [selected, setSelected] = useState(0);
  const listId = useId();
  const q = useDebounced(query.trim(), 250);
  const recent = useConversations();
  // Titles beyond the first page are found by the service.
  const found = useConversations(`conversations::${q}`, q ? { q } : {});
  const conversations = new Map([...recent.entries, ...found.entries].map((each) => [each.id, each]));
  const collections = useCollections();
  const personas = usePersonas();
  // Before the next paint, so that the first typed character is not lost.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const go = (path: string) => () => route(path);
  const commands: Command[] = [
    { label: t("New conversation"), kind: t("Action"), icon: "plus", run: go("/console/chat") },
    ...mainDestinations().map(({ path, label, icon }) => ({ label, icon, kind: t("View"), run: go(path) })),
    ...listAreas().flatMap((area) =>
      area.sections.map(({ path, label, icon }) => ({ label, icon, kind: area.label, run: go(path) })),
    ),
    {
      label: theme.value === "dark" ? t("Use the light theme") : t("Use the dark theme"),
      kind: t("Action"),
      icon: theme.value === "dark" ? "sun" : "moon",
      run: () => setTheme(theme.value === "dark" ? "light" : "dark"),
    },
    { label: t("API reference and guides"), kind: t("View"), icon: "help", run: () => location.assign("/docs") },
    ...[...conversations.values()].map(({ id, title }) => ({
      label: title,
      kind: t("Conversation"),
      icon: "chat" as const,
      run: go(`/console/chat/${id}`),
    })),
    ...(collections.value?.collections ?? []).map(({ id, name }) => ({
      label: name,
      kind: t("Collection"),
      icon: "book" as const,
      run: go(`/console/knowledge/${id}`),
    })),
    ...(personas.value?.personas ?? []).map(({ id, name }) => ({
      label: name,
      kind: t("Persona"),
      icon: "sparkle" as const,
      run: go(`/console/assistants/personas/${id}`),
    })),
  ];
  const messages = useMessageSearch(q);
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const matches: readonly Command[] = [
    ...commands
      .filter(({ label, kind }) => words.every((word) => `${label} ${kind}`.toLowerCase().includes(word)))
      .slice(0, 40),
    ...(messages.value ?? []).map((hit) => ({
      label: `${hit.conversation_title}: ${hit.snippet}`,
      kind: t("Message"),
      icon: "quote" as const,
      run: go(messagePath(hit)),
    })),
  ];
  const current = Math.min(selected, matches.length - 1);
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  useEffect(() => {
    document.getElementById(`${listId}-${current}`)?.scrollIntoView({ block: "nearest" });
  }, [current, listId]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a modal dialog natively
    <dialog
      ref={dialog}
      class="palette"
      aria-label={t("Search and commands")}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <input
        autoFocus
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={`${listId}-${current}`}
        aria-label={t("Search everything")}
        placeholder={t("Search everything")}
        value={query}
        onInput={(event) => {
          setQuery(event.currentTarget.value);
          setSelected(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") setSelected((current + 1) % Math.max(1, matches.length));
          else if (event.key === "ArrowUp") setSelected((current - 1 + matches.length) % Math.max(1, matches.length));
          else if (event.key === "Enter") run(matches[current]);
          else return;
          event.preventDefault();
        }}
      />
      <div class="options" id={listId} role="listbox" aria-label={t("Results")}>
        {matches.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys of its list
          <div
            key={`${command.kind}${command.label}${index}`}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === current}
            onClick={() => run(command)}
            onPointerMove={() => setSelected(index)}
          >
            <Icon name={command.icon} />
            <span class="truncate">{command.label}</span>
            <span class="kind">{command.kind}</span>
          </div>
        ))}
        {matches.length === 0 && (
          <div role="option" tabIndex={-1} aria-selected="false" aria-disabled="true">
            {t("Nothing matches.")}
          </div>
        )}
      </div>
    </dialog>
  );
}
