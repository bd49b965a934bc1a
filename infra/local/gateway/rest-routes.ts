import { decode } from "./gateway-request.ts";

/** A resource of a REST API: one segment of the tree, and what answers there. */
export type RestResource<Method> = {
  /** As in the template: `/things/{id}`. */
  path: string;
  /** By HTTP method, or `ANY`. */
  methods: Map<string, Method>;
  literals: Map<string, RestResource<Method>>;
  parameter?: { name: string; resource: RestResource<Method> };
  greedy?: { name: string; resource: RestResource<Method> };
};

/** Where a path leads. */
export type RestMatch<Method> = { resource: RestResource<Method>; parameters: Record<string, string> };

/** An empty resource. */
export function restResource<Method>(path: string): RestResource<Method> {
  return { path, methods: new Map(), literals: new Map() };
}

/** Puts `child` below `parent` under a path part: `things`, `{id}` or `{proxy+}`. */
export function attach<Method>(parent: RestResource<Method>, part: string, child: RestResource<Method>): void {
  const name = /^\{(.+?)(\+?)\}$/.exec(part);
  if (!name) parent.literals.set(part, child);
  else if (name[2]) parent.greedy = { name: name[1] ?? "", resource: child };
  else parent.parameter = { name: name[1] ?? "", resource: child };
}

/**
 * Finds the resource for a path. At each level a literal part wins over a parameter, and that over a greedy one; a resource
 * without methods does not count. A slash at the end is ignored. Parameters are decoded.
 */
export function match<Method>(root: RestResource<Method>, path: string): RestMatch<Method> | undefined {
  const segments = path.replace(/^\//, "").replace(/\/$/, "").split("/");
  return descend(root, segments.length === 1 && segments[0] === "" ? [] : segments);
}

function descend<Method>(resource: RestResource<Method>, segments: string[]): RestMatch<Method> | undefined {
  const [segment, ...rest] = segments;
  if (segment === undefined) return resource.methods.size > 0 ? { resource, parameters: {} } : undefined;
  const literal = resource.literals.get(segment) ?? resource.literals.get(decode(segment));
  const found = literal && descend(literal, rest);
  if (found) return found;
  const { parameter, greedy } = resource;
  const below = parameter && segment !== "" ? descend(parameter.resource, rest) : undefined;
  if (parameter && below) return { ...below, parameters: { [parameter.name]: decode(segment), ...below.parameters } };
  if (greedy && greedy.resource.methods.size > 0)
    return { resource: greedy.resource, parameters: { [greedy.name]: segments.map(decode).join("/") } };
  return undefined;
}
