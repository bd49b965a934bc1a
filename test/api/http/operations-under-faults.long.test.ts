import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { withRetries } from "#shared/client/retry.ts";
import { mapConcurrent } from "#shared/lib/map-concurrent.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { sized } from "#test/support/run-size.ts";
import { seededRandom } from "#test/support/seeded-random.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { startTableProxy, type TableProxy } from "#test/support/tables/table-proxy.ts";

const operationCount = sized({ usual: 200, full: 700, soak: 5_000 });
const userCount = sized({ usual: 8, full: 20, soak: 50 });
const seed = Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 1e9));

/** Maximum time of an operation, including the client's retries. */
const OPERATION_DEADLINE_MS = 30_000;

const MAX_RETRIES = 5;

/** Kind of resource that the users create, change and delete. Each resource has one text. */
interface Kind {
  readonly path: string;
  /** Name of the field that contains the text. */
  readonly field: string;
  /** Name of the list in the response to `GET` of the path. */
  readonly list: string;
}

const kinds = {
  conversation: { path: "/v1/conversations", field: "title", list: "conversations" },
  note: { path: "/v1/notes", field: "title", list: "notes" },
  memory: { path: "/v1/memories", field: "text", list: "memories" },
  folder: { path: "/v1/folders", field: "name", list: "folders" },
} as const satisfies Record<string, Kind>;

type KindName = keyof typeof kinds;

/** State of a resource that its user expects: its text, and the text of a change that was not acknowledged. */
interface KnownResource {
  readonly id: string;
  text: string;
  uncertainText?: string;
  isUncertain?: boolean;
  readonly questions: string[];
}

/** A user who performs random operations and remembers the acknowledged ones. */
class User {
  readonly #client: Client;
  readonly #random: () => number;
  readonly #send: (request: Request) => Promise<Response>;
  readonly known: Record<KindName, Map<string, KnownResource>> = {
    conversation: new Map(),
    note: new Map(),
    memory: new Map(),
    folder: new Map(),
  };
  /** Texts of resources whose creation was not acknowledged. Each may exist at most once. */
  readonly unacknowledged = new Set<string>();
  failed: string[] = [];

  constructor(client: Client, random: () => number) {
    this.#client = client;
    this.#random = random;
    this.#send = withRetries((request) => fetch(request), MAX_RETRIES);
  }

  #pick<Value>(values: readonly Value[]): Value {
    return values[Math.floor(this.#random() * values.length)] as Value;
  }

  /** Sends a request with the retries of the typed client; null if it was not acknowledged within the deadline. */
  async #request(method: string, path: string, body?: object): Promise<Response | null> {
    const request = new Request(this.#client.baseUrl + path, {
      method,
      headers: { ...this.#client.headers, accept: "application/json", "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(OPERATION_DEADLINE_MS),
    });
    const response = await this.#send(request).catch(() => null);
    // The first attempt of a deletion may have succeeded although its response was a failure.
    if (response?.ok || (method === "DELETE" && response?.status === 404)) return response;
    this.failed.push(`${method} ${path}: ${response ? `${response.status} ${await response.text()}` : "deadline"}`);
    return null;
  }

  async act(): Promise<void> {
    const kind = this.#pick(Object.keys(kinds) as KindName[]);
    const resources = [...this.known[kind].values()].filter(({ isUncertain }) => !isUncertain);
    const chance = this.#random();
    if (resources.length < 3 || chance < 0.3) return this.#create(kind);
    const resource = this.#pick(resources);
    if (chance < 0.4) return this.#delete(kind, resource);
    if (kind === "conversation" && chance < 0.7) return this.#ask(resource);
    return this.#change(kind, resource);
  }

  async #create(kind: KindName): Promise<void> {
    const { path, field } = kinds[kind];
    const text = `${kind} ${randomUUID()}`;
    const response = await this.#request("POST", path, { [field]: text });
    if (!response) return void this.unacknowledged.add(text);
    const { id } = (await response.json()) as { id: string };
    this.known[kind].set(id, { id, text, questions: [] });
  }

  async #change(kind: KindName, resource: KnownResource): Promise<void> {
    const { path, field } = kinds[kind];
    const text = `${kind} ${randomUUID()}`;
    if (await this.#request("PATCH", `${path}/${resource.id}`, { [field]: text })) {
      resource.text = text;
      delete resource.uncertainText;
    } else resource.uncertainText = text;
  }

  async #delete(kind: KindName, resource: KnownResource): Promise<void> {
    if (await this.#request("DELETE", `${kinds[kind].path}/${resource.id}`)) this.known[kind].delete(resource.id);
    else resource.isUncertain = true;
  }

  async #ask({ id, questions }: KnownResource): Promise<void> {
    const content = `question ${randomUUID()}`;
    const body = { conversation_id: id, content, tier: "QUICK" };
    const response = await this.#request("POST", "/v1/runtime/chat", body);
    if (response) questions.push(content);
    else this.unacknowledged.add(content);
  }

  /** Reads all resources of a kind, page by page. */
  async #list(kind: KindName): Promise<Record<string, unknown>[]> {
    const { path, list } = kinds[kind];
    const items: Record<string, unknown>[] = [];
    let cursor: string | null = null;
    do {
      const { body, text } = await this.#client.get(`${path}?limit=100${cursor ? `&cursor=${cursor}` : ""}`);
      if (!body?.[list]) throw new Error(text);
      items.push(...body[list]);
      cursor = body.next_cursor ?? null;
    } while (cursor);
    return items;
  }

  /** Returns the differences between the acknowledged operations and the stored state. */
  async findDifferences(): Promise<string[]> {
    const differences = await Promise.all((Object.keys(kinds) as KindName[]).map((kind) => this.#compare(kind)));
    const conversations = [...this.known.conversation.values()].filter(({ isUncertain }) => !isUncertain);
    const turns = await mapConcurrent(conversations, (conversation) => this.#compareTurns(conversation));
    return [...differences, ...turns].flat();
  }

  async #compare(kind: KindName): Promise<string[]> {
    const { field } = kinds[kind];
    const stored = await this.#list(kind);
    const known = this.known[kind];
    const lost = [...known.values()].filter(
      ({ id, isUncertain }) => !isUncertain && !stored.some((item) => item.id === id),
    );
    const wrong = stored.filter((item) => {
      const resource = known.get(String(item.id));
      const text = String(item[field]);
      if (!resource) return !this.unacknowledged.has(text);
      return text !== resource.text && text !== resource.uncertainText;
    });
    const texts = stored.map((item) => item[field]);
    const repeated = texts.filter((text, index) => texts.indexOf(text) !== index);
    return [
      ...lost.map(({ id }) => `${kind} ${id} is lost`),
      ...wrong.map((item) => `${kind} ${item.id} has an unexpected text or was not deleted: ${item[field]}`),
      ...repeated.map((text) => `${text} exists twice`),
    ];
  }

  async #compareTurns({ id, questions }: KnownResource): Promise<string[]> {
    const { body } = await this.#client.get(`/v1/conversations/${id}/messages?limit=100`);
    const messages = body.messages as { role: string; content: { text: string }[]; status: string }[];
    const asked = messages.filter(({ role }) => role === "user").map(({ content }) => content[0]?.text ?? "");
    const answers = messages.filter(({ role }) => role === "assistant");
    const complete = answers.filter(({ status }) => status === "complete");
    const conversation = (await this.#client.get(`/v1/conversations/${id}`)).body;
    return [
      ...questions.filter((question) => !asked.includes(question)).map((question) => `${question} is lost`),
      ...asked.filter((question, index) => asked.indexOf(question) !== index).map((q) => `${q} was asked twice`),
      ...(complete.length < questions.length
        ? [`${id} has ${complete.length} answers to ${questions.length} questions: ${JSON.stringify(answers)}`]
        : []),
      ...(conversation.message_count === messages.length
        ? []
        : [`${id} counts ${conversation.message_count} of ${messages.length} messages`]),
    ];
  }
}

let table: TableProxy;
let service: Switchboard;

beforeAll(async () => {
  table = await startTableProxy();
  service = await startSwitchboard({ env: { DYNAMODB_ENDPOINT: table.endpoint } });
});

afterAll(async () => {
  await service?.stop();
  await table?.stop();
});

it(`random user operations while the table throttles and loses responses lose or repeat no change in ${operationCount} operations, and 99 % succeed`, async () => {
  console.log(`FAULT_SEED=${seed}`);
  const random = seededRandom(seed);
  const users = Array.from(
    { length: userCount },
    (_, index) => new User(new Client(newIdentity(), service.baseUrl), seededRandom(seed + index)),
  );
  table.faultRates = {
    throttleRate: 0.2,
    lostResponseRate: 0.05,
    conflictRate: 0.05,
    operations: /Item|Query/,
    random,
  };
  await Promise.all(
    users.map(async (user) => {
      for (let done = 0; done < operationCount / userCount; done++) await user.act();
    }),
  );
  const faults = { ...table.faults };
  table.faultRates = {};
  const failed = users.flatMap((user) => user.failed);
  const requestIds = failed.flatMap((text) => /"request_id":"([^"]+)"/.exec(text)?.[1] ?? []);
  const errors = service.output.filter(
    (line) => line.includes('"level":"error"') && requestIds.some((id) => line.includes(id)),
  );
  console.log({ ...faults, failed, errors });
  const differences = (await mapConcurrent(users, (user) => user.findDifferences())).flat();
  expect(differences).toEqual([]);
  expect(failed.slice(operationCount * 0.01)).toEqual([]);
  expect(faults.throttled).toBeGreaterThan(operationCount / 2);
  expect(Math.min(faults["lost response"], faults.conflict)).toBeGreaterThan(operationCount / 20);
});
