import { isJsonObject } from "../../lib/parse-json.ts";
import type { AlertPayload } from "./types.ts";

/**
 * Place of a part of an alert: a path such as `data.alerts.0.title`, in which `*` stands for all entries; a text with paths in
 * braces, such as `Run {run.id}`, which counts only if all of them lead to a value; or a function for what no path can say.
 */
export type Place = string | ((payload: AlertPayload) => string | null | undefined);

/** Places in the order in which they are tried. */
export type Places = Place | readonly Place[];

/** Returns the value at a path without `*`, or undefined. */
export function valueAt(payload: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    return (value as Record<string, unknown>)[name];
  }, payload);
}

/** Returns a nonempty text or a number as text, otherwise null. */
export function asText(value: unknown): string | null {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text.trim() !== "" ? text : null;
}

/** Returns the text at a path; null if there is none. Texts of a list are joined. */
export function textAt(payload: unknown, path: string): string | null {
  const star = path.indexOf("*");
  if (star < 0) {
    const value = valueAt(payload, path);
    return asText(Array.isArray(value) ? value.flatMap((each) => asText(each) ?? []).join(", ") : value);
  }
  const list = star === 0 ? payload : valueAt(payload, path.slice(0, star - 1));
  const rest = path.slice(star + 2);
  const entries = Object.values(Array.isArray(list) || isJsonObject(list) ? list : []);
  return asText(entries.flatMap((entry) => (rest ? textAt(entry, rest) : asText(entry)) ?? []).join(", "));
}

/** Returns the paths in braces of a text. */
const pathsIn = (text: string) => [...text.matchAll(/\{([^{}]*)\}/g)].map(([, path = ""]) => path);

function textOf(payload: AlertPayload, place: Place): string | null {
  if (typeof place === "function") return asText(place(payload));
  if (!place.includes("{")) return textAt(payload, place);
  if (pathsIn(place).some((path) => textAt(payload, path) === null)) return null;
  return place.replaceAll(/\{([^{}]*)\}/g, (_, path: string) => textAt(payload, path) ?? "");
}

const toList = (places: Places | undefined): readonly Place[] =>
  Array.isArray(places) ? places : places === undefined ? [] : [places as Place];

/** Returns the texts at places, in their order. */
export const textsOf = (payload: AlertPayload, places: Places | undefined): string[] =>
  toList(places).flatMap((place) => textOf(payload, place) ?? []);

/** Returns the first text at one of the places; null if there is none. */
export function findText(payload: AlertPayload, places: Places | undefined): string | null {
  for (const place of toList(places)) {
    const text = textOf(payload, place);
    if (text !== null) return text;
  }
  return null;
}

/** Returns the top-level fields that places name. */
export const topFields = (places: Places | undefined): string[] =>
  toList(places).flatMap((place) => {
    if (typeof place === "function") return [];
    const paths = place.includes("{") ? pathsIn(place) : [place];
    return paths.map((path) => path.split(".")[0] ?? path);
  });

/** Returns whether places come before others. */
export const placesBefore = (first: Place | undefined, others: Places | undefined): readonly Place[] =>
  first === undefined ? toList(others) : [first, ...toList(others)];
