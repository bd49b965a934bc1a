import type { Route } from "../../shared/api/define-route.ts";
import type { VariableName } from "../../shared/lib/env.ts";
import { rateLimitsOf } from "../../shared/tenancy/rate-limit-settings.ts";
import type { EntryPoint } from "../bundle/entry-points.ts";
import { type Binding, type Declaration, type Module, parseModule, resolveImport } from "./source-reader.ts";
import { simplifyPatterns, type Uses } from "./uses.ts";

/** Properties of a contract that determine what its request chain uses. */
export type Contract = Pick<Route, "auth" | "idempotency" | "capability" | "rateLimit">;

/** Handler of an entry point. */
type Code = Pick<EntryPoint, "file" | "exportName">;

/** Declaration that the code of an entry point refers to, directly or through others. */
interface Reached {
  readonly file: string;
  readonly name: string;
  readonly declaration: Declaration;
}

/** Requests to services by the function that sends them, where the request itself does not name the right. */
const serviceRights: ReadonlyMap<string, string> = new Map([
  ["shared/models/bedrock.ts#bedrockModel", "bedrock:InvokeModel"],
  ["shared/guardrails/bedrock-detector.ts#bedrockDetector", "bedrock:ApplyGuardrail"],
]);

/** File with the names of all rate limits, of which a function gets those of its contract. */
const rateLimitFile = "shared/tenancy/rate-limit-settings.ts";

/** Steps of the request chain that requests without a credential do not reach. */
const credentialSteps = [
  "shared/http/steps.ts#recordCaller",
  "shared/http/steps.ts#requireAllowedOrigin",
  "shared/tenancy/rate-store.ts#consumeQuota",
];

/** Functions that only requests to `/v1` reach. A request with another key finds its tenant, because a user has created the key. */
const userSteps = [
  "shared/http/steps.ts#verifyBearerKey",
  "shared/tenancy/verify-user-key.ts#verifyUserKey",
  "shared/tenancy/user-store.ts#admitUser",
  "shared/tenancy/user-store.ts#requireActiveUser",
  "shared/tenancy/act-as.ts#authorizeActAs",
  "shared/tenancy/act-as.ts#admitPerson",
  "shared/tenancy/tenant-store.ts#findOrCreateTenant",
];

/** Functions that read a user's memories and notes for a prompt. Visitors have none. */
const userContextSteps = [
  "shared/memory/memory-store.ts#listMemoriesForPrompt",
  "shared/memory/note-store.ts#listNotesForPrompt",
];

/** Functions that record and find responses by their `Idempotency-Key`. */
const idempotencySteps = [
  "shared/http/idempotency/idempotency-store.ts#findRecordedResponse",
  "shared/http/idempotency/idempotency-store.ts#recordResponseWrite",
];

/**
 * Step that reads the roles and groups of the caller on first use. It is excluded for functions that never use it;
 * other code that reads roles and groups still counts.
 */
const lazyRights = "shared/http/steps.ts#lazyRights";

/** Returns the declarations that are part of the code of a route's function, but that its contract excludes. */
function unreachableFrom({ auth, idempotency }: Contract): string[] {
  return [
    ...(auth === "none" || auth === "deployment-key" ? credentialSteps : []),
    ...(auth === "jwt" ? [] : userSteps),
    ...(auth === "embed-key" ? userContextSteps : []),
    ...(auth === "none" || idempotency === "none" ? idempotencySteps : []),
  ];
}

/** Derives uses from the sources: it follows the references from an entry point, like a bundler. */
export class UsesReader {
  readonly #root: string;
  readonly #modules = new Map<string, Module>();

  /** @param root repository root */
  constructor(root: string) {
    this.#root = root;
  }

  /**
   * Returns what the code of an entry point uses. Every reference counts as used, so it usually contains more than the function
   * sends; decision 0022 lists what it can miss.
   * @param contract contract of the entry point; it excludes steps that the request chain never runs for it
   */
  read(entry: Code, contract?: Contract): Uses {
    const reached = this.#reachFor(entry, contract);
    const union = (select: (each: Reached) => Iterable<string>) =>
      [...new Set(reached.flatMap((each) => [...select(each)]))].sort();
    const limits = contract ? rateLimitsOf(contract.rateLimit) : [];
    return {
      actions: union(({ declaration }) => declaration.actions),
      indexes: union(({ declaration }) => declaration.indexes),
      partitions: simplifyPatterns(union(({ declaration }) => declaration.partitions)),
      variables: [...new Set([...union((each) => this.#variablesOf(each)), ...limits])].sort() as VariableName[],
      rights: union((each) => this.#rightsOf(each)),
    };
  }

  #variablesOf({ declaration, file }: Reached): Iterable<VariableName> {
    if (file === rateLimitFile) return [];
    if (!declaration.readsNamedVariables) return declaration.variables;
    const texts = this.#around(file, declaration).flatMap(({ variableTexts }) => [...variableTexts]);
    return [...declaration.variables, ...texts];
  }

  #rightsOf({ declaration, file, name }: Reached): string[] {
    const ofService = serviceRights.get(`${file}#${name}`);
    const buckets = new Set(
      declaration.objectActions.size > 0
        ? this.#around(file, declaration).flatMap(({ variables }) =>
            [...variables].filter((each) => /_BUCKET$/.test(each)),
          )
        : [],
    );
    const ofObjects = [...declaration.objectActions].flatMap((action) =>
      [...buckets].map((bucket) => `${action} ${bucket}`),
    );
    return [...(ofService ? [ofService] : []), ...ofObjects];
  }

  /** Returns a declaration and those of its file that it refers to, also indirectly. */
  #around(file: string, declaration: Declaration): Declaration[] {
    const { declarations } = this.#module(file);
    const found = new Set([declaration]);
    for (const each of found) {
      for (const name of each.references) {
        const other = declarations.get(name);
        if (other) found.add(other);
      }
    }
    return [...found];
  }

  #reachFor(entry: Code, contract: Contract | undefined): readonly Reached[] {
    const excluded = contract ? unreachableFrom(contract) : [];
    if (contract && contract.capability === undefined && !this.#readsRights(entry)) excluded.push(lazyRights);
    return this.#reach(entry, excluded);
  }

  /** Checks whether the handler reads the caller's rights, in addition to the step that requires the contract's capability. */
  #readsRights({ file, exportName }: Code): boolean {
    const handler = this.#module(file).declarations.get(exportName);
    const names = handler ? this.#around(file, handler).flatMap(({ references }) => [...references]) : [];
    return names.some((name) => /(^|\.)rights$/.test(name));
  }

  #reach({ file: entryFile, exportName }: Code, excluded: readonly string[]): Reached[] {
    for (const step of excluded) {
      const [file = "", name = ""] = step.split("#");
      // A step that was renamed would no longer be excluded.
      if (!this.#module(file).declarations.has(name)) throw new Error(`${file} does not declare ${name}`);
    }
    const visited = new Set(excluded);
    const reached: Reached[] = [];
    const pending: (Binding & { readonly isImported?: boolean })[] = [{ file: entryFile, name: exportName }];
    for (let next = pending.pop(); next; next = pending.pop()) {
      const { file, name, isImported } = next;
      if (visited.has(`${file}#${name}`)) continue;
      visited.add(`${file}#${name}`);
      const { declarations, bindings } = this.#module(file);
      if (name === "*") for (const each of declarations.keys()) pending.push({ file, name: each });
      const [object = "", member] = name.split(".");
      const binding = bindings.get(object);
      // Only the named member of a namespace import or of an object is used.
      if (binding) {
        const isNamespace = binding.name === "*";
        const memberName = isNamespace ? member : `${binding.name}.${member}`;
        pending.push({ ...binding, isImported: true, ...(member && { name: memberName }) });
      }
      const declaration = declarations.get(name) ?? declarations.get(object);
      if (!declaration) {
        if (isImported && !binding && name !== "*") throw new Error(`${file} does not declare ${name}`);
        continue;
      }
      reached.push({ file, name, declaration });
      for (const each of declaration.references) pending.push({ file, name: each });
      for (const path of declaration.dynamicImports) pending.push({ file: resolveImport(file, path), name: "*" });
    }
    return reached;
  }

  #module(file: string): Module {
    const known = this.#modules.get(file);
    if (known) return known;
    const module = parseModule(this.#root, file);
    this.#modules.set(file, module);
    return module;
  }
}
