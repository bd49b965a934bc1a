import { decode } from "./gateway-request.ts";

/** A resource of a REST API: a node of the path tree with its methods. `rest-api.ts` builds the tree from the OpenAPI document. */
export interface RestResource<Method> {
  /** Path with parameters: `/things/{id}`. */
  path: string;
  /** Methods by HTTP method or `ANY`. */
  methods: Map<string, Method>;
  literals: Map<string, RestResource<Method>>;
  parameter?: { name: string; resource: RestResource<Method> };
  greedy?: { name: string; resource: RestResource<Method> };
}

interface RestMatch<Method> {
  resource: RestResource<Method>;
  parameters: Record<string, string>;
}

export function restResource<Method>(path: string): RestResource<Method> {
  return { path, methods: new Map(), literals: new Map() };
}

/** Returns the child of a resource under a path part, `things`, `{id}` or `{proxy+}`, and creates it if there is none. */
export function childOf<Method>(parent: RestResource<Method>, part: string): RestResource<Method> {
  const [parameter, name = "", plus] = /^\{(.+?)(\+?)\}$/.exec(part) ?? [];
  const kind = plus ? "greedy" : "parameter";
  const existing = parameter ? parent[kind]?.resource : parent.literals.get(part);
  if (existing) return existing;
  const child = restResource<Method>(`${parent.path === "/" ? "" : parent.path}/${part}`);
  if (parameter) parent[kind] = { name, resource: child };
  else parent.literals.set(part, child);
  return child;
}

/**
 * Finds the resource for a path. At each level, a literal part takes precedence over a parameter, and a parameter over a
 * greedy one. Resources without methods do not match. A trailing slash is ignored. Parameters are decoded.
 */
export function matchPath<Method>(root: RestResource<Method>, path: string): RestMatch<Method> | undefined {
  const segments = path.replace(/^\//, "").replace(/\/$/, "").split("/");
  return descend(root, segments.length === 1 && segments[0] === "" ? [] : segments);
}

function descend<Method>(resource: RestResource<Method>, segments: string[]): RestMatch<Method> | undefined {
  const [segment, ...rest] = segments;
  if (segment === undefined) return resource.methods.size > 0 ? { resource, parameters: {} } : undefined;
  const literal = resource.literals.get(segment) ?? resource.literals.get(decode(segment));
  const literalMatch = literal && descend(literal, rest);
  if (literalMatch) return literalMatch;
  const { parameter, greedy } = resource;
  const parameterMatch = parameter && segment !== "" ? descend(parameter.resource, rest) : undefined;
  if (parameter && parameterMatch)
    return { ...parameterMatch, parameters: { [parameter.name]: decode(segment), ...parameterMatch.parameters } };
  if (greedy && greedy.resource.methods.size > 0) {
    return { resource: greedy.resource, parameters: { [greedy.name]: segments.map(decode).join("/") } };
  }
  return undefined;
}
