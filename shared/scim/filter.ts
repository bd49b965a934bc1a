import { findAttribute, type ScimAttribute } from "./schemas.ts";
import { scimError } from "./scim-error.ts";

/** JSON object of a SCIM resource, or of a complex attribute in it. */
export type ScimObject = Readonly<Record<string, unknown>>;

/** Syntax tree of a SCIM filter (RFC 7644, section 3.4.2.2). */
export type Filter =
  | { readonly kind: "and" | "or"; readonly left: Filter; readonly right: Filter }
  | { readonly kind: "not"; readonly filter: Filter }
  | { readonly kind: "element"; readonly path: readonly string[]; readonly filter: Filter }
  | { readonly kind: "compare"; readonly path: readonly string[]; readonly operator: string; readonly value: unknown };

const operators = new Set(["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"]);

/** Maximum nesting of a filter, which bounds the recursion of the parser. */
const MAX_DEPTH = 20;

const invalidFilter = (reason: string) => scimError("invalidFilter", `The filter is invalid: ${reason}.`);

const token = /\s*([()[\]]|"(?:[^"\\]|\\.)*"|[^\s()[\]"]+)/y;

/** Splits a filter into tokens: parentheses, brackets, JSON strings and words. */
function tokenize(text: string): string[] {
  const tokens: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.trimEnd().length) {
    const found = token.exec(text)?.[1];
    if (found === undefined) throw invalidFilter("a string does not end");
    tokens.push(found);
  }
  return tokens;
}

const schemaPrefix = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/i;

/**
 * Splits an attribute path such as `name.familyName` into its parts. Removes the URN of the schema in front.
 * @returns null if the text is not a path
 */
export function parseAttributePath(text: string): string[] | null {
  const path = text.replace(schemaPrefix, "");
  // The names of attributes of other schemas contain their URN, with its dots.
  if (/^urn:/i.test(path)) return [path];
  return /^\$?[a-z][\w$-]*(?:\.\$?[a-z][\w$-]*)?$/i.test(path) ? path.split(".") : null;
}

function parseValue(text: string | undefined): unknown {
  if (text?.startsWith('"') || /^(?:true|false|null|-?\d+(?:\.\d+)?)$/i.test(text ?? "")) {
    try {
      // Entra writes `True` and `False`.
      return JSON.parse(text?.startsWith('"') ? text : String(text).toLowerCase());
    } catch {
      throw invalidFilter("a string is malformed");
    }
  }
  throw invalidFilter("a comparison needs a value in quotes, a number, true, false or null");
}

/** Recursive-descent parser of a filter. `and` binds more strongly than `or`. */
class FilterParser {
  readonly #tokens: readonly string[];
  #position = 0;
  #depth = 0;

  constructor(text: string) {
    this.#tokens = tokenize(text);
  }

  parse(): Filter {
    const filter = this.#parseOr();
    if (this.#position < this.#tokens.length) throw invalidFilter(`unexpected ${this.#tokens[this.#position]}`);
    return filter;
  }

  #accept(word: string): boolean {
    const isNext = this.#tokens[this.#position]?.toLowerCase() === word;
    if (isNext) this.#position += 1;
    return isNext;
  }

  #expect(word: string): void {
    if (!this.#accept(word)) throw invalidFilter(`${word} is missing`);
  }

  #parseOr(): Filter {
    if (++this.#depth > MAX_DEPTH) throw invalidFilter("it is nested too deeply");
    let left = this.#parseAnd();
    while (this.#accept("or")) left = { kind: "or", left, right: this.#parseAnd() };
    this.#depth -= 1;
    return left;
  }

  #parseAnd(): Filter {
    let left = this.#parseTerm();
    while (this.#accept("and")) left = { kind: "and", left, right: this.#parseTerm() };
    return left;
  }

  #parseGroup(end: string): Filter {
    const filter = this.#parseOr();
    this.#expect(end);
    return filter;
  }

  #parseTerm(): Filter {
    if (this.#accept("not")) {
      this.#expect("(");
      return { kind: "not", filter: this.#parseGroup(")") };
    }
    if (this.#accept("(")) return this.#parseGroup(")");
    const name = this.#tokens[this.#position++];
    const path = name === undefined ? null : parseAttributePath(name);
    if (!path) throw invalidFilter(name === undefined ? "it ends too early" : `${name} is no attribute`);
    if (this.#accept("[")) return { kind: "element", path, filter: this.#parseElement() };
    return this.#parseComparison(path);
  }

  /** Parses the filter of elements, and a comparison of their sub-attribute: `emails[type eq "work"].value eq "a@b.example"`. */
  #parseElement(): Filter {
    const filter = this.#parseGroup("]");
    const next = this.#tokens[this.#position] ?? "";
    if (!next.startsWith(".")) return filter;
    this.#position += 1;
    const path = parseAttributePath(next.slice(1));
    if (!path) throw invalidFilter(`${next} is no attribute`);
    return { kind: "and", left: filter, right: this.#parseComparison(path) };
  }

  #parseComparison(path: readonly string[]): Filter {
    const operator = this.#tokens[this.#position++]?.toLowerCase() ?? "";
    if (operator === "pr") return { kind: "compare", path, operator, value: undefined };
    if (!operators.has(operator)) throw invalidFilter(`${operator || "the end"} is no operator`);
    return { kind: "compare", path, operator, value: parseValue(this.#tokens[this.#position++]) };
  }
}

/** @throws ServiceError with the type `invalidFilter` */
export const parseFilter = (text: string): Filter => new FilterParser(text).parse();

const isObject = (value: unknown): value is ScimObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const toArray = (value: unknown): unknown[] => (value === undefined || value === null ? [] : [value].flat());

/** Returns the values at an attribute path, and the schema of the attribute at its end. */
function valuesAt(
  resource: ScimObject,
  attributes: readonly ScimAttribute[],
  [name = "", ...rest]: readonly string[],
): { readonly values: unknown[]; readonly attribute: ScimAttribute | undefined } {
  const attribute = findAttribute(attributes, name);
  const values = attribute ? toArray(resource[attribute.name]) : [];
  if (rest.length === 0) return { values, attribute };
  const nested = values.filter(isObject).map((value) => valuesAt(value, attribute?.subAttributes ?? [], rest));
  return {
    values: nested.flatMap((each) => each.values),
    attribute: findAttribute(attribute?.subAttributes ?? [], rest[0] ?? ""),
  };
}

function compare(operator: string, value: unknown, wanted: unknown): boolean {
  if (operator === "eq") return value === wanted;
  if (operator === "ne") return value !== wanted;
  if (typeof value !== "string" || typeof wanted !== "string") return false;
  if (operator === "co") return value.includes(wanted);
  if (operator === "sw") return value.startsWith(wanted);
  if (operator === "ew") return value.endsWith(wanted);
  if (operator === "gt") return value > wanted;
  if (operator === "ge") return value >= wanted;
  return operator === "lt" ? value < wanted : value <= wanted;
}

/** Returns true if a resource, or an element of a complex attribute, matches a filter. */
export function matchesFilter(resource: ScimObject, attributes: readonly ScimAttribute[], filter: Filter): boolean {
  const matches = (each: Filter) => matchesFilter(resource, attributes, each);
  if (filter.kind === "not") return !matches(filter.filter);
  if (!("path" in filter)) {
    const isLeftMatch = matches(filter.left);
    return filter.kind === "and" ? isLeftMatch && matches(filter.right) : isLeftMatch || matches(filter.right);
  }
  const { values, attribute } = valuesAt(resource, attributes, filter.path);
  if (filter.kind === "element") {
    const subAttributes = attribute?.subAttributes ?? [];
    return values.filter(isObject).some((value) => matchesFilter(value, subAttributes, filter.filter));
  }
  // A complex attribute stands for its `value`.
  const actual = values.map((value) => (isObject(value) ? value.value : value)).filter((value) => value !== undefined);
  const { operator } = filter;
  if (operator === "pr") return values.length > 0;
  if (filter.value === null) return (operator === "eq") === (actual.length === 0);
  const fold = (value: unknown) => (typeof value === "string" && !attribute?.caseExact ? value.toLowerCase() : value);
  const wanted = fold(filter.value);
  // An attribute without a value differs from every value.
  if (operator === "ne") return actual.every((value) => fold(value) !== wanted);
  return actual.some((value) => compare(operator, fold(value), wanted));
}

/**
 * Returns the value that an attribute must equal in every resource that matches the filter; undefined if the filter implies
 * no such value.
 */
export function findRequiredValue(filter: Filter | undefined, name: string): string | undefined {
  if (filter?.kind === "and") return findRequiredValue(filter.left, name) ?? findRequiredValue(filter.right, name);
  if (filter?.kind !== "compare" || filter.operator !== "eq" || filter.path.length > 1) return undefined;
  const isNamed = filter.path[0]?.toLowerCase() === name.toLowerCase();
  return isNamed && typeof filter.value === "string" ? filter.value : undefined;
}
