import type { AlertPaths } from "../../api/webhooks/alert-paths.ts";
import { isJsonObject } from "../../lib/parse-json.ts";
import { asText } from "./paths.ts";
import type { AlertSource } from "./source.ts";
import type { AlertPayload } from "./types.ts";
import { namedSeverity, namedState } from "./words.ts";

/** Usual names of the parts of an alert, in the order in which they are preferred, in lower case without separators. */
const usualNames = {
  title:
    "alerttitle alertname title eventtitle eventname conditionname problemname subject headline problemtitle incidenttitle issuetitle rulename ruletitle monitorname checkname servicename hostname displayname name rule",
  text: "message text msg description alertmessage body content summary details alertdetails detail reason failurereason responsemessage statusmessage cause error output problemdetails comment note log",
  severity: "severity alertseverity severitylevel level alertlevel priority urgency criticality importance impact prio",
  state:
    "state status alertstate alertstatus currentstate newstate incidentstatus transition monitorstate monitorstatus checkstatus alerttype eventtype notificationtype notificationevent eventaction action event trigger type",
  id: "incidentid alertid dedupkey deduplicationkey dedupid fingerprint problemid issueid eventid checkid monitorid monitoruuid ruleid triggerid id key uuid",
  time: "timestamp time triggeredat occurredat eventtime updatedat lastupdated resolvedat startedat firedat createdat datetime date",
  link: "link url alerturl incidenturl issueurl eventurl htmlurl weburl detailsurl dashboardurl permalink href",
} as const;

type GuessedPart = keyof typeof usualNames;

/** Names that belong to the alert only next to its title or text, because any object can have them. */
const weakNames: ReadonlySet<string> = new Set("id key uuid eventid name rule hostname displayname".split(" "));

const MAX_DEPTH = 5;
const MAX_VALUES = 2_000;

interface Leaf {
  readonly path: string;
  readonly parent: string;
  /** Name in lower case without separators. */
  readonly name: string;
  readonly text: string;
}

/** Returns texts and numbers of a payload, level by level. Of a list, only the first entry is searched. */
function listLeaves(payload: AlertPayload): Leaf[] {
  const leaves: Leaf[] = [];
  let level: [path: string, value: unknown][] = [["", payload]];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0 && leaves.length < MAX_VALUES; depth++) {
    const next: [string, unknown][] = [];
    for (const [parent, object] of level) {
      const entries = Array.isArray(object)
        ? [["0", object[0]] as const]
        : isJsonObject(object)
          ? Object.entries(object)
          : [];
      for (const [key, value] of entries.slice(0, MAX_VALUES)) {
        const path = parent ? `${parent}.${key}` : key;
        // A path cannot name a field whose name contains a dot.
        if (key.includes(".")) continue;
        const text = asText(value);
        if (text !== null)
          leaves.push({ path, parent, name: key.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, ""), text });
        else if (typeof value === "object" && value !== null) next.push([path, value]);
      }
    }
    level = next.slice(0, MAX_VALUES);
  }
  return leaves.slice(0, MAX_VALUES);
}

const accepts: Readonly<Record<GuessedPart, (leaf: Leaf) => boolean>> = {
  title: () => true,
  text: () => true,
  severity: ({ text }) => namedSeverity(text) !== null,
  state: ({ text }) => namedState(text) !== null,
  id: () => true,
  time: ({ text }) => /^\d{9,}/.test(text) || !Number.isNaN(Date.parse(text)),
  link: ({ text }) => /^https?:\/\//i.test(text),
};

/** Returns the path of the shallowest part with one of its usual names. */
function findPath(leaves: readonly Leaf[], part: GuessedPart): string | undefined {
  const names: readonly string[] = usualNames[part].split(" ");
  const rank = ({ path, name }: Leaf) => path.split(".").length * names.length + names.indexOf(name);
  const found = leaves.filter((leaf) => names.includes(leaf.name) && accepts[part](leaf));
  return found.toSorted((a, b) => rank(a) - rank(b))[0]?.path;
}

/** Guesses at which paths a payload that no source recognizes has the parts of an alert. */
export function guessPaths(payload: AlertPayload): AlertPaths {
  const leaves = listLeaves(payload);
  const parentOf = (path?: string) => leaves.find((leaf) => leaf.path === path)?.parent;
  const near = (...paths: (string | undefined)[]) =>
    leaves.filter(({ name, parent }) => !weakNames.has(name) || paths.map(parentOf).includes(parent));
  const text = findPath(leaves, "text");
  const titles = near(text).filter(({ path }) => path !== text);
  const title = findPath(titles, "title");
  const paths = {
    text,
    title,
    severity: findPath(leaves, "severity"),
    state: findPath(leaves, "state"),
    id: findPath(near(text, title), "id"),
    time: findPath(leaves, "time"),
    link: findPath(leaves, "link"),
  };
  // Only such paths can be stored with a channel.
  const isPath = (path?: string) => path !== undefined && /^[^.\s*{}]{1,100}(?:\.[^.\s*{}]{1,100}){0,9}$/.test(path);
  return Object.fromEntries(Object.entries(paths).filter(([, path]) => isPath(path)));
}

/** Returns the longest text of a payload, or else the payload as JSON. */
function anyText(payload: AlertPayload): string {
  const texts = listLeaves(payload).map(({ text }) => text);
  const sentences = texts.filter((text) => /\s/.test(text)).toSorted((a, b) => b.length - a.length);
  return sentences[0] ?? JSON.stringify(payload);
}

/** Returns a source that reads a payload at the guessed paths. */
export function guessSource({ id, ...paths }: AlertPaths): AlertSource {
  return {
    name: "",
    ...paths,
    text: [paths.text, paths.title, anyText].filter((place) => place !== undefined),
    id,
    // Events of unknown tools can differ in more than state and time, so that only an identical body is the same event.
    event: [() => null],
  };
}
