import { signal } from "@preact/signals";
import { receptor } from "../session/session.ts";

/** Maximum number of conversations for which this browser stores the latest activity that the user has seen. */
const MAX_SEEN = 500;

interface Seen {
  /**
   * Time up to which activity counts as seen in conversations without an entry: the first visit, or the latest activity of an
   * entry that was dropped.
   */
  readonly since: string;
  /** Time of the latest activity that the user has seen, by conversation id. */
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

/** Stores that the user has seen the activity of a conversation up to a time. */
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

/** Shows the number of unread conversations as a badge on the icon of the installed app, if the system supports badges. */
export function showBadge(count: number): void {
  const { setAppBadge } = navigator as { setAppBadge?: (count: number) => Promise<void> };
  setAppBadge?.call(navigator, count).catch(() => {});
}
