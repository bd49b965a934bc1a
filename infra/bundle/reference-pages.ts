import { readFileSync } from "node:fs";
import { join } from "node:path";
import { escapeHtml } from "../../shared/lib/html-page.ts";
import { type DocsAssets, type DocsPage, page, sideNavigation, toPageHtml } from "./docs-page.ts";

/** JSON schema, limited to the keywords that the API reference shows. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly [keyword: string]: unknown;
}

interface Content {
  readonly [mediaType: string]: { readonly schema?: Schema; readonly example?: unknown };
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses?: Readonly<Record<string, { readonly description?: string; readonly content?: Content }>>;
}

interface OpenApi {
  readonly info: { readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: Readonly<Record<string, { readonly description?: string }>>;
  };
}

interface Route {
  readonly method: string;
  /** URL path, or the type of an event that the service sends to webhooks. */
  readonly path: string;
  readonly isEvent: boolean;
  readonly operation: Operation;
}

const groupPath = (group: string) => `/docs/reference/${group}`;
const SCHEMAS_PATH = groupPath("schemas");

/** Titles of those groups whose tag with an upper-case initial is not a good title. */
const groupTitles: Readonly<Record<string, string>> = {
  "api-keys": "API keys",
  openai: "OpenAI and Anthropic",
  scim: "SCIM",
  open: "Health and discovery",
  docs: "Documentation",
};

function titleOf(group: string): string {
  const words = group.replaceAll("-", " ");
  return groupTitles[group] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

const inlineTexts = new Map<string, string>();

/** Renders Markdown without a paragraph around it. The same descriptions occur in many schemas and are rendered once. */
function inline(markdown: string): string {
  const html = inlineTexts.get(markdown) ?? toPageHtml(markdown).replace(/^<p>|<\/p>\s*$/g, "");
  inlineTexts.set(markdown, html);
  return html;
}

const code = (text: string) => `<code>${escapeHtml(text)}</code>`;
const codeBlock = (text: string) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>`;
const fold = (summary: string, html: string) => `<details><summary>${summary}</summary>${html}</details>`;

/** Maximum number of values of an enumeration that a table shows in full. */
const MAX_SHOWN_VALUES = 12;

/** Returns the type of a value as HTML, such as `array of string`, with links to named schemas. */
function typeOf(schema: Schema): string {
  if (schema.$ref) {
    const name = schema.$ref.split("/").at(-1) ?? "";
    return `<a href="${SCHEMAS_PATH}#${name}">${escapeHtml(name)}</a>`;
  }
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum) {
    const more = schema.enum.length > MAX_SHOWN_VALUES ? " or others" : "";
    return (
      schema.enum
        .slice(0, MAX_SHOWN_VALUES)
        .map((value) => code(JSON.stringify(value)))
        .join(" or ") + more
    );
  }
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return [...new Set(alternatives.map(typeOf))].join(" or ");
  if (schema.allOf) return [...new Set(schema.allOf.map(typeOf))].join(" and ");
  if (schema.type === "array") return `array of ${schema.items ? typeOf(schema.items) : "values"}`;
  if (typeof schema.type === "string") return schema.type;
  return Array.isArray(schema.type) ? schema.type.join(" or ") : "any value";
}

/** Texts for the schema keywords that limit a value; `%s` stands for the limit. */
const bounds: Readonly<Record<string, string>> = {
  minLength: "at least %s characters",
  maxLength: "at most %s characters",
  minimum: "at least %s",
  maximum: "at most %s",
  minItems: "at least %s entries",
  maxItems: "at most %s entries",
};

function boundsOf(schema: Schema): string {
  const { anyOf = [] } = schema;
  const texts = [schema, ...anyOf].flatMap((each) =>
    Object.entries(bounds).flatMap(([keyword, text]) =>
      each[keyword] === undefined ? [] : [text.replace("%s", String(each[keyword]))],
    ),
  );
  if (schema.default !== undefined) texts.push(`default ${JSON.stringify(schema.default)}`);
  return texts.length > 0 ? `<small>${escapeHtml([...new Set(texts)].join(", "))}</small>` : "";
}

/**
 * Returns the object schemas within a schema: itself, or those of its alternatives and list entries. A named schema has none,
 * because the page links to it.
 */
function objectsOf(schema: Schema): readonly Schema[] {
  if (schema.$ref) return [];
  if (schema.properties) return [schema];
  const nested = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  if (schema.items) nested.push(schema.items);
  if (typeof schema.additionalProperties === "object") nested.push(schema.additionalProperties);
  return nested.flatMap(objectsOf);
}

const propertyTable = ({ properties = {}, required = [] }: Schema): string =>
  table(
    ["Name", "Type", "Description"],
    Object.entries(properties).map(([name, schema]) => [
      `${code(name)}${required.includes(name) ? "" : " <small>optional</small>"}`,
      `${typeOf(schema)} ${boundsOf(schema)}`,
      `${inline(schema.description ?? "")}${objectsOf(schema)
        .map((each) => fold("Fields", propertyTable(each)))
        .join("")}`,
    ]),
  );

const table = (heads: readonly string[], rows: readonly (readonly string[])[]) =>
  `<table tabindex="0"><thead><tr>${heads.map((head) => `<th>${head}</th>`).join("")}</tr></thead><tbody>${rows
    .map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`)
    .join("")}</tbody></table>`;

function schemaHtml(schema: Schema): string {
  const tables = objectsOf(schema).map(propertyTable);
  return tables.length > 0 ? tables.join("<p>or</p>") : `<p>${typeOf(schema)} ${boundsOf(schema)}</p>`;
}

const exampleText = (example: unknown) => (typeof example === "string" ? example : JSON.stringify(example, null, 2));

const contentHtml = (content: Content) =>
  Object.entries(content)
    .map(([mediaType, { schema, example }]) => {
      const fields = schema?.$ref
        ? `<p>${code(mediaType)} ${typeOf(schema)}</p>`
        : fold(`${code(mediaType)} Fields`, schemaHtml(schema ?? {}));
      return fields + (example === undefined ? "" : fold("Example", codeBlock(exampleText(example))));
    })
    .join("");

const credentialHeaders: Readonly<Record<string, string>> = {
  jwt: "authorization: Bearer $TOKEN",
  "api-key": "authorization: Bearer $API_KEY",
  "deployment-key": "authorization: Bearer $DEPLOYMENT_KEY",
  "embed-key": "x-embed-key: $EMBED_KEY",
  "webhook-signature": "x-webhook-signature: $SIGNATURE",
  "slack-signature": "x-slack-signature: $SIGNATURE",
};

/** Returns a curl command that sends a request with only the required parameters. */
function curlOf({ method, path, operation }: Route): string {
  const { parameters = [], security = [], requestBody } = operation;
  const queries = parameters.filter((each) => each.in === "query" && each.required).map(({ name }) => `${name}=…`);
  const url = `$BASE_URL${path}${queries.length > 0 ? `?${queries.join("&")}` : ""}`;
  const [scheme] = security.flatMap((each) => Object.keys(each));
  const [media] = Object.entries(requestBody?.content ?? {});
  const required = parameters.filter((each) => each.in === "header" && each.required);
  const headers = [
    ...(scheme ? [credentialHeaders[scheme] ?? ""] : []),
    ...(media ? [`content-type: ${media[0]}`] : []),
    ...required.map(({ name }) => `${name.toLowerCase()}: …`),
  ];
  return [
    `curl ${method === "get" ? "" : `-X ${method.toUpperCase()} `}"${url}"`,
    ...headers.map((header) => `-H "${header}"`),
    ...(media?.[1].example === undefined ? [] : [`-d '${exampleText(media[1].example).replaceAll("'", "'\\''")}'`]),
  ].join(" \\\n  ");
}

function operationHtml(route: Route): string {
  const { method, path, isEvent, operation } = route;
  const { operationId, summary, description, deprecated, parameters = [], security = [], requestBody } = operation;
  const credentials = security.flatMap((each) => Object.keys(each)).map(code);
  const rows = parameters.map((each) => [
    `${code(each.name)}${each.required ? "" : " <small>optional</small>"}`,
    `${each.in} ${each.schema ? `${typeOf(each.schema)} ${boundsOf(each.schema)}` : ""}`,
    inline(each.description ?? ""),
  ]);
  const responses = Object.entries(operation.responses ?? {}).map(([status, { description: text = "", content }]) =>
    content
      ? `<h4>${status} ${inline(text)}</h4>${contentHtml(content)}`
      : `<p class="reply"><strong>${status}</strong> ${inline(text)}</p>`,
  );
  return `<section class="operation"><h2 id="${operationId}">${escapeHtml(summary)}${deprecated ? " <small>deprecated</small>" : ""}</h2>
<p class="route"><strong class="${method}">${isEvent ? "event" : method.toUpperCase()}</strong> ${code(path)} <small>${operationId}</small></p>
${description ? toPageHtml(description) : ""}${credentials.length > 0 ? `<p><small>Credentials:</small> ${credentials.join(" or ")}</p>` : ""}
${rows.length > 0 ? `<h3>Parameters</h3>${table(["Name", "Type", "Description"], rows)}` : ""}
${requestBody ? `<h3>${isEvent ? "Event" : "Request"}</h3>${contentHtml(requestBody.content)}` : ""}
${isEvent ? "" : `${fold("curl", codeBlock(curlOf(route)))}<h3>Responses</h3>${responses.join("")}`}</section>`;
}

const routesOf = (paths: OpenApi["paths"], isEvent: boolean): Route[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, isEvent, operation })),
  );

/** Renders the API reference from `openapi.json`: a list of operations with a search, a page per group, and the schemas. */
export function renderReference(root: string, { style, script }: DocsAssets): DocsPage[] {
  const document: OpenApi = JSON.parse(readFileSync(join(root, "openapi.json"), "utf8"));
  const routes = [...routesOf(document.paths, false), ...routesOf(document.webhooks ?? {}, true)];
  const groups = document.tags
    .map(({ name, description = "" }) => ({
      ...{ name, description, title: titleOf(name), path: groupPath(name) },
      routes: routes.filter(({ operation }) => operation.tags.includes(name)),
    }))
    .filter((group) => group.routes.length > 0);
  const navigation = [...groups, { path: SCHEMAS_PATH, title: "Schemas" }];
  const withNavigation = (path: string, title: string, html: string, head = ""): DocsPage => ({
    path,
    html: page({
      ...{ path, title, style, head },
      body: `<div class="layout">${sideNavigation("Operations", navigation, path)}<main>${html}</main></div>`,
    }),
  });
  const lists = groups.map(({ title, path, ...group }) => {
    const items = group.routes.map(
      ({ method, path: route, isEvent, operation: { operationId, summary } }) =>
        `<li id="${method}-${route}" data-id="${operationId}"><a href="${path}#${operationId}">${escapeHtml(summary)}</a> <span class="route"><strong class="${method}">${isEvent ? "event" : method.toUpperCase()}</strong> ${code(route)}</span></li>`,
    );
    return `<section><h2><a href="${path}">${title}</a></h2><ul>${items.join("")}</ul></section>`;
  });
  const credentials = Object.entries(document.components.securitySchemes).map(([name, { description = "" }]) => [
    code(name),
    code(credentialHeaders[name] ?? ""),
    inline(description),
  ]);
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) =>
      `<section class="operation"><h2 id="${name}">${escapeHtml(name)}</h2>${toPageHtml(schema.description ?? "")}${fold("Fields", schemaHtml(schema))}</section>`,
  );
  return [
    withNavigation(
      "/docs",
      "API reference",
      `<h1>API reference</h1>${toPageHtml(document.info.description)}<p>Version ${escapeHtml(document.info.version)}, as <a href="/v1/openapi.json">OpenAPI 3.1</a>. The commands use the variable <code>BASE_URL</code>, the address of the service.</p>
<label class="search">Search <input id="search" type="search" placeholder="conversation, POST, searchKnowledge"></label><p id="count" role="status"></p>
<div class="operations">${lists.join("")}</div><h2 id="credentials">Credentials</h2>${table(["Name", "Header", "Description"], credentials)}`,
      `<script type="module" src="${script}"></script>\n`,
    ),
    ...groups.map(({ path, title, description, ...group }) =>
      withNavigation(
        path,
        title,
        `<h1>${title}</h1>${toPageHtml(description)}${group.routes.map(operationHtml).join("")}`,
      ),
    ),
    withNavigation(SCHEMAS_PATH, "Schemas", `<h1>Schemas</h1>${schemas.join("")}`),
  ];
}
