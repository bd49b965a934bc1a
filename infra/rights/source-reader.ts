import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync } from "oxc-parser";
import type { ItemPage } from "../../shared/dynamodb/define-item.ts";
import { itemPages } from "../../shared/dynamodb/item-pages.ts";
import { keys } from "../../shared/dynamodb/keys.ts";
import { foundPartitionPatterns } from "../../shared/dynamodb/partitions.ts";
import { indexes } from "../../shared/dynamodb/table-layout.ts";
import { settings, stackVariables, type VariableName } from "../../shared/lib/env.ts";

/** Node of the syntax tree. */
interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Top-level declaration of a module: what it does with AWS itself, and the names that it refers to. */
export class Declaration {
  readonly actions = new Set<string>();
  readonly indexes = new Set<string>();
  readonly partitions = new Set<string>();
  /** Environment variables that it reads by their names. */
  readonly variables = new Set<VariableName>();
  /** True if it reads environment variables whose names other declarations contain. */
  readsNamedVariables = false;
  /** Names of environment variables in its texts. */
  readonly variableTexts = new Set<VariableName>();
  /** IAM actions on objects of buckets, which it or the declarations that it refers to name. */
  readonly objectActions = new Set<string>();
  readonly references = new Set<string>();
  /** Paths of the modules that the declaration imports dynamically, as written in the source. */
  readonly dynamicImports = new Set<string>();
}

/** Import or re-export of a name from another module of the repository; `*` stands for all names. */
export interface Binding {
  readonly file: string;
  readonly name: string;
}

/** Module of the repository. */
export interface Module {
  readonly declarations: ReadonlyMap<string, Declaration>;
  readonly bindings: ReadonlyMap<string, Binding>;
}

/**
 * Checks for files whose code does not count as access: the table port, which names every kind of write and key, and the
 * contracts, which are data.
 */
const isTransparent = (file: string) =>
  /^shared\/(api\/|dynamodb\/(items\/|(audit-attribution|define-item|expressions|item-pages|item-types|keys|open-table|partitions|table-layout)\.ts))/.test(
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

/**
 * Key builders of the items in the index, by index key: those of their page. Code that finds items in the index can address them by
 * their keys.
 */
const indexedItems: ReadonlyMap<string, string> = new Map(
  (itemPages as readonly ItemPage[]).flatMap((page) =>
    Object.keys(page.index ?? {}).map((name) => [name, Object.keys(page.keys)[0] ?? ""] as const),
  ),
);

/**
 * Returns the IAM pattern of the partition keys that a key builder creates: parts that depend on its arguments become
 * wildcards, as in `*#conversation#*`.
 */
export function toPartitionPattern(build: (...parts: never[]) => { readonly pk: string }): string {
  const [first = [], second] = ["a", 65_536].map((part) => build(...(Array(8).fill(part) as never[])).pk.split("#"));
  return first.map((part, index) => (part === second?.[index] ? part : "*")).join("#");
}

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
  if (nameOf(object) === "indexKeys") return indexedItems.get(name) as keyof typeof keys | undefined;
  return undefined;
}

/** Checks whether an import names a module of the repository. */
const isSourcePath = (path: string): boolean => /^[.#].*\.ts$/.test(path);

/** Returns the file that an import in a file names. */
export const resolveImport = (file: string, path: string): string =>
  path.startsWith("#") ? path.slice(1) : join(dirname(file), path);

/** Collects the table actions and references of an expression or statement in a declaration. */
function collect(value: unknown, declaration: Declaration): void {
  if (Array.isArray(value)) for (const each of value) collect(each, declaration);
  if (!isNode(value)) return;
  const { type } = value;
  // Type annotations do not execute code. Only TypeScript expressions such as `x as T` contain values.
  if (type.startsWith("TS") && !type.endsWith("Expression")) return;
  if (type === "Identifier") {
    declaration.references.add(nameOf(value));
    // The deletion of a tenant finds partitions by the pages of items.
    if (nameOf(value) === "tenantPartitions")
      for (const each of foundPartitionPatterns) declaration.partitions.add(each);
  }
  if (isNamedMember(value)) {
    declaration.references.add(`${nameOf(value.object)}.${nameOf(value.property)}`);
  }
  if (type === "Literal" && Object.hasOwn(indexes, nameOf(value))) declaration.indexes.add(nameOf(value));
  if (type === "Literal" && isVariable(nameOf(value))) declaration.variableTexts.add(nameOf(value) as VariableName);
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

const variableNames: ReadonlySet<string> = new Set([
  ...stackVariables,
  ...Object.values(settings).flatMap((group) => Object.keys(group)),
]);

/** Checks whether a text is the name of an environment variable of functions. */
const isVariable = (text: string): boolean => variableNames.has(text);

/** IAM actions by the function of `shared/lib/aws/s3.ts` that sends the request. */
const objectFunctions: ReadonlyMap<string, string> = new Map([
  ["putObject", "s3:PutObject"],
  ["findObject", "s3:GetObject"],
  ["findObjectRange", "s3:GetObject"],
  ["deleteObject", "s3:DeleteObject"],
]);

/** Collects the environment variables and objects of buckets that a call of a function reads or writes. */
function collectFunctionCall(name: string, call: Node, declaration: Declaration): void {
  const [first] = call.arguments as Node[];
  if (name === "env" || name === "findSetting") {
    for (const each of (call.arguments as Node[]).map(nameOf)) {
      if (isVariable(each)) declaration.variables.add(each as VariableName);
      else declaration.readsNamedVariables = true;
    }
  }
  const action =
    name === "presignUrl" ? (nameOf(first) === "PUT" ? "s3:PutObject" : "s3:GetObject") : objectFunctions.get(name);
  if (action) declaration.objectActions.add(action);
}

function collectCall(call: Node, declaration: Declaration): void {
  const { callee } = call;
  if (isNode(callee) && callee.type === "Identifier") collectFunctionCall(nameOf(callee), call, declaration);
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

export function parseModule(root: string, file: string): Module {
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
