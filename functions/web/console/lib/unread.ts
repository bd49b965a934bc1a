import { signal } from "@preact/signals";
import { receptor } from "../session/session.ts";

/** Number of conversations whose last seen activity this browser remembers. */
const MAX_SEEN = 500;

interface Seen {
  /** Activity before this time counts as seen: that before the first visit, and that of forgotten conversations. */
  readonly since: string;
  /** Last activity that was seen, by conversation. */
  readonly activity: Readonly<Record<string, string>>;
}

const keyOf = () => `switchboard.seen:${receptor.peek()?.user.user_id ?? ""}`;

function read(key: string): Seen {
  try {
    const stored = JSON.parse(localStorage.getItem(key) ?? "") as Seen;
    if (typeof stored.since === "string" && typeof stored.activity === "object") return stored;
  } catch {
    // Nothing was stored yet.
  }
  const first = { since: new Date().toISOString(), activity: {} };
  write(key, first);
  return first;
}

function write(key: string, value: Seen): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The storage is full. The marks last until the page is closed.
  }
}

const seen = signal<{ readonly key: string; readonly value: Seen } | null>(null);

function current(): Seen {
  const key = keyOf();
  if (seen.value?.key !== key) seen.value = { key, value: read(key) };
  return seen.value.value;
}

function store(value: Seen): void {
  const key = keyOf();
  seen.value = { key, value };
  write(key, value);
}

// A conversation that is read in another tab is read here too.
addEventListener("storage", ({ key }) => {
  if (key === keyOf()) seen.value = { key, value: read(key) };
});

/** Remembers that the user has seen the activity of a conversation. */
export function markSeen(id: string, lastActivityAt: string): void {
  const { since, activity } = current();
  if ((activity[id] ?? since) >= lastActivityAt) return;
  const entries = Object.entries({ ...activity, [id]: lastActivityAt }).toSorted(([, a], [, b]) => (a < b ? 1 : -1));
  const forgotten = entries[MAX_SEEN]?.[1] ?? "";
  store({ since: forgotten > since ? forgotten : since, activity: Object.fromEntries(entries.slice(0, MAX_SEEN)) });
}

/** Returns true if a conversation has activity that the user has not seen in this browser. */
export function isUnread({
  id,
  last_activity_at,
}: {
  readonly id: string;
  readonly last_activity_at: string;
}): boolean {
  const { since, activity } = current();
  return last_activity_at > (activity[id] ?? since);
}

/** Shows the number of unread conversations on the icon of the installed app, where the system has such marks. */
export function showBadge(count: number): void {
  const { setAppBadge } = navigator as { setAppBadge?: (count: number) => Promise<void> };
  setAppBadge?.call(navigator, count).catch(() => {});
}
