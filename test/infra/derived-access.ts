import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync } from "oxc-parser";
import { toPartitionPattern } from "#shared/dynamodb/access.ts";
import { type indexKeys, keys } from "#shared/dynamodb/keys.ts";
import { indexes } from "#shared/dynamodb/table-layout.ts";
import type { RequestContract } from "../../functions/uses.ts";
import { simplifyPatterns, type TableAccess } from "../../infra/constructs/grants.ts";

/** Node of the syntax tree. */
interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Top-level declaration of a module: what it does with the table itself, and the names that it refers to. */
class Declaration {
  readonly actions = new Set<string>();
  readonly indexes = new Set<string>();
  readonly partitions = new Set<string>();
  readonly references = new Set<string>();
  /** Paths of the modules that the declaration imports dynamically, as written in the source. */
  readonly dynamicImports = new Set<string>();
}

/** Import or re-export of a name from another module of the repository; `*` stands for all names. */
interface Binding {
  readonly file: string;
  readonly name: string;
}

/** Module of the repository. */
interface Module {
  readonly declarations: ReadonlyMap<string, Declaration>;
  readonly bindings: ReadonlyMap<string, Binding>;
}

/**
 * Checks for files whose code does not count as access: the table port, which names every kind of write and key, and the
 * contracts, which are data.
 */
const isTransparent = (file: string) =>
  /^shared\/(api\/|dynamodb\/(access|audit-attribution|expressions|governance-keys|item-types|keys|open-table|table-layout)\.ts)/.test(
    file,
  );

/** Declarations of the table port in files that also contain others. */
const portDeclarations: ReadonlySet<string> = new Set(["shared/dynamodb/tenant-scope.ts#confineToTenant"]);

/** Actions by the property that makes an object a `Write`. */
const writeActions: ReadonlyMap<string, readonly string[]> = new Map([
  ["put", ["PutItem"]],
  ["update", ["UpdateItem"]],
  // The actor of a deletion is recorded by an update that precedes it.
  ["delete", ["DeleteItem", "UpdateItem"]],
  ["check", ["ConditionCheckItem"]],
]);

/** Properties of a `Write`. Objects with other properties are not writes. */
const writeProperties: ReadonlySet<string> = new Set([
  ...writeActions.keys(),
  "condition",
  "set",
  "setIfAbsent",
  "add",
  "remove",
]);

/**
 * Actions by the method of `Table` that sends them. Concurrent reads of single items are combined to a batch. Queries are
 * recognized by the objects that describe them, because those name the index.
 */
const methodActions: ReadonlyMap<string, readonly string[]> = new Map([
  ["get", ["GetItem", "BatchGetItem"]],
  ["getMany", ["BatchGetItem"]],
  ["deleteMany", ["BatchWriteItem"]],
]);

/** Key builders of the items in the index, by index key. Code that finds items in the index can address them by their keys. */
const indexedItems: Readonly<Record<keyof typeof indexKeys, keyof typeof keys>> = {
  tenantOfDeployment: "tenant",
  userOfTenant: "user",
  auditByTarget: "auditEvent",
  approvalByStatus: "approval",
  conversationByActivity: "conversation",
  shareLinkOfUser: "shareLink",
  privatePersona: "persona",
  sharedPersona: "persona",
  deliveries: "delivery",
  investigations: "investigation",
  conversationWebhooks: "webhook",
  privateTemplate: "template",
  sharedTemplate: "template",
  ownFeedback: "feedback",
  replies: "message",
  collectionByAudience: "collection",
  memoryBySubject: "memory",
  noteByConversation: "note",
  ownMessengerLinks: "messengerLink",
  visitorSession: "embedSession",
  visitorQuestionByTime: "visitorQuestion",
};

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === "string";

const nameOf = (node: unknown): string => String((isNode(node) && (node.name ?? node.value)) || "");

/** Checks whether an expression is a table: `table`, `tenantTable(scope)` or `systemTable()`. */
const isTable = (node: unknown): boolean =>
  isNode(node) && (nameOf(node) === "table" || (node.type === "CallExpression" && /Table$/.test(nameOf(node.callee))));

/** Returns the name of the key builder that an expression refers to: `template` for `keys.template`. */
function findKeyBuilder({ type, object, property }: Node): keyof typeof keys | undefined {
  const name = nameOf(property);
  if (type !== "MemberExpression") return undefined;
  if (nameOf(object) === "keys" && Object.hasOwn(keys, name)) return name as keyof typeof keys;
  if (nameOf(object) === "indexKeys" && Object.hasOwn(indexedItems, name)) {
    return indexedItems[name as keyof typeof indexKeys];
  }
  return undefined;
}

/** Checks whether an import names a module of the repository. */
const isSourcePath = (path: string): boolean => /^[.#].*\.ts$/.test(path);

/** Returns the file that an import in a file names. */
const resolveImport = (file: string, path: string): string =>
  path.startsWith("#") ? path.slice(1) : join(dirname(file), path);

/** Collects the table actions and references of an expression or statement in a declaration. */
function collect(value: unknown, declaration: Declaration): void {
  if (Array.isArray(value)) for (const each of value) collect(each, declaration);
  if (!isNode(value)) return;
  const { type } = value;
  // Type annotations do not execute code. Only TypeScript expressions such as `x as T` contain values.
  if (type.startsWith("TS") && !type.endsWith("Expression")) return;
  if (type === "Identifier") declaration.references.add(nameOf(value));
  if (isNamedMember(value)) {
    declaration.references.add(`${nameOf(value.object)}.${nameOf(value.property)}`);
  }
  if (type === "Literal" && Object.hasOwn(indexes, nameOf(value))) declaration.indexes.add(nameOf(value));
  if (type === "ImportExpression" && isSourcePath(nameOf(value.source)))
    declaration.dynamicImports.add(nameOf(value.source));
  if (type === "ObjectExpression") collectObject(value, declaration);
  if (type === "CallExpression") collectCall(value, declaration);
  const builder = findKeyBuilder(value);
  if (builder) declaration.partitions.add(toPartitionPattern(keys[builder]));
  for (const [name, field] of Object.entries(value)) {
    const isReference = !isPropertyName(value, name) && !(name === "object" && isNamedMember(value));
    if (typeof field === "object" && isReference) collect(field, declaration);
  }
}

/** Checks whether an expression has the form `name.property`. */
const isNamedMember = ({ type, computed, object }: Node): boolean =>
  type === "MemberExpression" && computed !== true && isNode(object) && object.type === "Identifier";

/** Checks whether a field of a node is the name of a property, which refers to nothing. */
const isPropertyName = ({ type, computed, shorthand }: Node, field: string): boolean =>
  computed !== true &&
  ((type === "MemberExpression" && field === "property") ||
    (/Property|MethodDefinition/.test(type) && field === "key" && shorthand !== true));

function collectObject({ properties }: Node, declaration: Declaration): void {
  const plain = (properties as Node[]).filter(({ type, computed }) => type === "Property" && computed !== true);
  const names = plain.map(({ key }) => nameOf(key));
  for (const { key, value } of plain) {
    // A key that is written without a key builder, such as the key that the health check reads.
    if (nameOf(key) === "pk" && isNode(value) && value.type === "Literal" && value.value !== "")
      declaration.partitions.add(nameOf(value));
  }
  if (isTableQuery(names)) declaration.actions.add("Query");
  if (!isWrite(names)) return;
  for (const name of names) for (const action of writeActions.get(name) ?? []) declaration.actions.add(action);
}

/** Checks whether an object with these properties is a `Query` or a part of one, and names no index. */
const isTableQuery = (names: readonly string[]): boolean =>
  names.includes("pk") && !names.includes("sk") && !names.includes("index");

/** Checks whether an object with these properties is a `Write`. A check without a condition would be pointless. */
const isWrite = (names: readonly string[]): boolean =>
  names.every((name) => writeProperties.has(name)) && (!names.includes("check") || names.includes("condition"));

function collectCall(call: Node, declaration: Declaration): void {
  const { callee } = call;
  if (!isNode(callee) || callee.type !== "MemberExpression") return;
  const method = nameOf(callee.property);
  // Other objects than tables also have a method `get`.
  if (method === "get" && !isTable(callee.object)) return;
  const [argument] = call.arguments as Node[];
  // Concurrent reads of one constant key are not combined to a batch.
  const actions = method === "get" && argument?.type === "ObjectExpression" ? ["GetItem"] : methodActions.get(method);
  for (const action of actions ?? []) declaration.actions.add(action);
}

/** Returns the names that a declaration declares; several for a destructuring pattern. */
function declaredNames(pattern: unknown): string[] {
  const declaration = new Declaration();
  collect(pattern, declaration);
  return [...declaration.references];
}

/** Returns the object literal of an expression such as `{ … } as const`, if it is one. */
function findObjectLiteral(value: unknown): Node | undefined {
  if (!isNode(value)) return undefined;
  if (/^TS(As|Satisfies)Expression$/.test(value.type)) return findObjectLiteral(value.expression);
  return value.type === "ObjectExpression" ? value : undefined;
}

const containsThis = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(containsThis)
    : isNode(value) && (value.type === "ThisExpression" || Object.values(value).some(containsThis));

/** Returns the members of an object literal; undefined if its code may refer to other members or if it has computed names. */
function findMembers(value: unknown): ReadonlyMap<string, Node> | undefined {
  const properties = findObjectLiteral(value)?.properties as Node[] | undefined;
  const isSeparable = properties?.every(({ type, computed }) => type === "Property" && computed !== true);
  if (!properties || !isSeparable || containsThis(properties)) return undefined;
  return new Map(properties.map((property) => [nameOf(property.key), property]));
}

function parseModule(root: string, file: string): Module {
  const declarations = new Map<string, Declaration>();
  const bindings = new Map<string, Binding>();
  const addDeclaration = (names: readonly string[], value: unknown) => {
    // The expression statements of a module are one declaration.
    const declaration = (names[0] === "*" && declarations.get("*")) || new Declaration();
    if (!isTransparent(file) && !names.some((name) => portDeclarations.has(`${file}#${name}`))) {
      collect(value, declaration);
    }
    for (const name of names) declarations.set(name, declaration);
  };
  const addBindings = ({ source, specifiers = [], importKind, exportKind }: Node) => {
    const path = nameOf(source);
    if (!isSourcePath(path) || importKind === "type" || exportKind === "type") return;
    const imported = resolveImport(file, path);
    for (const each of (specifiers as Node[]).filter((specifier) => specifier.importKind !== "type")) {
      const name = each.type === "ImportNamespaceSpecifier" ? "*" : nameOf(each.imported ?? each.local);
      bindings.set(nameOf(source === undefined ? each.local : (each.exported ?? each.local)), { file: imported, name });
    }
  };
  const { body } = parseSync(file, readFileSync(join(root, file), "utf8")).program;
  for (const statement of body as unknown as Node[]) {
    if (statement.type === "ImportDeclaration" || (statement.type.startsWith("Export") && statement.source)) {
      addBindings(statement);
      continue;
    }
    const declared = (isNode(statement.declaration) ? statement.declaration : statement) as Node;
    if (declared.type === "VariableDeclaration") {
      for (const each of declared.declarations as Node[]) {
        const names = declaredNames(each.id);
        addDeclaration(names, each);
        // `index.rank` refers to one member of `const index = { rank, add }`.
        for (const [member, property] of findMembers(each.init) ?? [])
          addDeclaration([`${names[0]}.${member}`], property);
      }
    } else if (/^(Function|Class)Declaration$/.test(declared.type)) addDeclaration([nameOf(declared.id)], declared);
    else if (declared.type === "ExpressionStatement") addDeclaration(["*"], declared);
  }
  return { declarations, bindings };
}

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
function unreachableFrom({ auth, idempotency }: RequestContract): string[] {
  return [
    ...(auth === "none" || auth === "deployment-key" ? credentialSteps : []),
    ...(auth === "jwt" ? [] : userSteps),
    ...(auth === "embed-key" ? userContextSteps : []),
    ...(auth === "none" || idempotency === "none" ? idempotencySteps : []),
  ];
}

/** Derives the access to the table from the sources: it follows the references from an entry point, like a bundler. */
class TableAccessReader {
  readonly #root: string;
  readonly #modules = new Map<string, Module>();

  /** @param root repository root */
  constructor(root: string) {
    this.#root = root;
  }

  read(entry: string, route?: RequestContract): TableAccess {
    const reached = existsSync(join(this.#root, entry)) ? this.#reachFor(entry, route) : [];
    const union = (field: "actions" | "indexes" | "partitions") => new Set(reached.flatMap((each) => [...each[field]]));
    return {
      actions: [...union("actions")].sort(),
      indexes: [...union("indexes")].sort(),
      partitions: simplifyPatterns([...union("partitions")]),
    };
  }

  #reachFor(entry: string, route: RequestContract | undefined): readonly Declaration[] {
    const excluded = route ? unreachableFrom(route) : [];
    if (route && route.capability === undefined && !this.#readsRights(entry)) excluded.push(lazyRights);
    return this.#reach(entry, excluded);
  }

  /** Checks whether the handler reads the caller's rights, in addition to the step that requires the contract's capability. */
  #readsRights(entry: string): boolean {
    const names = [...this.#module(entry).declarations.values()].flatMap(({ references }) => [...references]);
    return names.some((name) => /(^|\.)rights$/.test(name));
  }

  #reach(entry: string, excluded: readonly string[]): Declaration[] {
    for (const step of excluded) {
      const [file = "", name = ""] = step.split("#");
      // A step that was renamed would no longer be excluded.
      if (!this.#module(file).declarations.has(name)) throw new Error(`${file} does not declare ${name}`);
    }
    const visited = new Set(excluded);
    const reached: Declaration[] = [];
    const pending: (Binding & { readonly isImported?: boolean })[] = [{ file: entry, name: "*" }];
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
      reached.push(declaration);
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

const reader = new TableAccessReader(process.cwd());

/**
 * Returns the access to the table that the code of an entry point needs. Every reference counts as used, so it usually
 * contains more than the function sends; decision 0022 lists what it can miss.
 * @param route contract of the entry point; it excludes steps that the request chain never runs for it
 */
export function deriveAccess(entry: string, route?: RequestContract): TableAccess {
  return reader.read(entry, route);
}
