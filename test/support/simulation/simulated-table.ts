import { DynamodbError, type TableClient } from "#shared/dynamodb/table-client.ts";
import type { VirtualWorld } from "./virtual-world.ts";

type Attributes = Record<string, unknown>;

/** Faults of the simulated table. */
export interface TableFaults {
  /** Periods of virtual time in which the table does not respond. */
  readonly stalls: readonly (readonly [fromMs: number, toMs: number])[];
  /** Probability that a request or its response gets lost. */
  readonly lossRate: number;
  /** Maximum latency in milliseconds of a call that is neither stalled nor lost. */
  readonly maxLatencyMs: number;
}

/** Time after which a client gives up on a call, including its retries. */
const CLIENT_TIMEOUT_MS = 6_000;

interface Expression {
  readonly ConditionExpression?: string;
  readonly KeyConditionExpression?: string;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Attributes;
}

const toKey = ({ pk, sk }: Attributes) => `${pk}\n${sk}`;

function networkError(): Error {
  return Object.assign(new Error("simulated network error"), { code: "ETIMEDOUT" });
}

const knownTokens = new Map<string, readonly string[]>();

/** Returns the tokens of an expression, of which there are few. */
function tokensOf(text: string): readonly string[] {
  const tokens = knownTokens.get(text) ?? text.match(/\(|\)|<>|<=|>=|=|<|>|,|[#:\w]+/g) ?? [];
  knownTokens.set(text, tokens);
  return tokens;
}

/** Evaluates a condition: comparisons, `attribute_exists`, `attribute_not_exists`, `begins_with`, AND, OR and parentheses. */
function isConditionMet(text: string, item: Attributes | undefined, expression: Expression): boolean {
  const tokens = tokensOf(text);
  let index = 0;
  const take = () => tokens[index++] as string;
  const lookUp = (token: string) =>
    token.startsWith("#")
      ? item?.[expression.ExpressionAttributeNames?.[token] ?? ""]
      : expression.ExpressionAttributeValues?.[token];
  const compare: Record<string, (a: unknown, b: unknown) => boolean> = {
    "=": (a, b) => a === b,
    "<>": (a, b) => a !== b,
    "<": (a, b) => a !== undefined && (a as number) < (b as number),
    "<=": (a, b) => a !== undefined && (a as number) <= (b as number),
    ">": (a, b) => a !== undefined && (a as number) > (b as number),
    ">=": (a, b) => a !== undefined && (a as number) >= (b as number),
  };
  function primary(): boolean {
    const token = take();
    if (token === "(") {
      const result = disjunction();
      take();
      return result;
    }
    if (token === "NOT") return !primary();
    if (token === "attribute_exists" || token === "attribute_not_exists") {
      take();
      const exists = lookUp(take()) !== undefined;
      take();
      return token === "attribute_exists" ? exists : !exists;
    }
    if (token === "begins_with") {
      take();
      const value = lookUp(take());
      take();
      const prefix = lookUp(take());
      take();
      return String(value).startsWith(String(prefix));
    }
    const operator = take();
    if (operator === "BETWEEN") {
      const value = lookUp(token) as string;
      const from = lookUp(take()) as string;
      take();
      return value >= from && value <= (lookUp(take()) as string);
    }
    const operation = compare[operator];
    if (!operation) throw new Error(`the simulated table does not support ${operator} in ${text}`);
    return operation(lookUp(token), lookUp(take()));
  }
  function conjunction(): boolean {
    let result = primary();
    while (tokens[index] === "AND") {
      index++;
      result = primary() && result;
    }
    return result;
  }
  function disjunction(): boolean {
    let result = conjunction();
    while (tokens[index] === "OR") {
      index++;
      result = conjunction() || result;
    }
    return result;
  }
  return disjunction();
}

/** Applies an update expression to a copy of an item. */
function applyUpdate(item: Attributes, expression: Expression): Attributes {
  const updated = { ...item };
  const nameOf = (token: string) => expression.ExpressionAttributeNames?.[token] ?? "";
  const lookUp = (token: string) => expression.ExpressionAttributeValues?.[token];
  for (const [, keyword, clauses = ""] of (expression.UpdateExpression ?? "").matchAll(
    /(SET|ADD|REMOVE) (.*?)(?= (?:SET|ADD|REMOVE) |$)/g,
  )) {
    for (const clause of clauses.split(/, (?=#)(?!#\w+, :)/)) {
      const [name = "", ...rest] = clause.match(/[#:]\w+/g) ?? [];
      const attribute = nameOf(name);
      if (keyword === "REMOVE") delete updated[attribute];
      else if (keyword === "ADD") updated[attribute] = Number(updated[attribute] ?? 0) + Number(lookUp(rest[0] ?? ""));
      else if (!clause.includes("if_not_exists")) updated[attribute] = lookUp(rest[0] ?? "");
      else updated[attribute] ??= lookUp(rest[1] ?? "");
    }
  }
  return updated;
}

/** DynamoDB in memory with virtual latency and faults, for the operations that runs use. */
export class SimulatedTable {
  readonly items = new Map<string, Attributes>();
  readonly #world: VirtualWorld;
  readonly #random: () => number;
  readonly #tokens = new Set<string>();
  faults: TableFaults = { stalls: [], lossRate: 0, maxLatencyMs: 30 };

  constructor(world: VirtualWorld, random: () => number) {
    this.#world = world;
    this.#random = random;
  }

  readonly client: TableClient = {
    call: (operation, input) => this.#call(operation, structuredClone(input) as Attributes),
  };

  async #call(operation: string, input: Attributes): Promise<unknown> {
    const world = this.#world;
    for (let attempt = 1; ; attempt++) {
      const { stalls, lossRate, maxLatencyMs } = this.faults;
      const stall = stalls.find(([from, to]) => world.now >= from && world.now < to);
      if (stall && stall[1] - world.now > CLIENT_TIMEOUT_MS) {
        // The request may still be executed when the table responds again.
        const isExecutedLate = this.#random() < 0.3;
        if (isExecutedLate) world.schedule(stall[1] - world.now, () => this.#tryExecute(operation, input));
        await world.sleep(CLIENT_TIMEOUT_MS);
        throw networkError();
      }
      await world.sleep((stall ? stall[1] - world.now : 0) + this.#random() * maxLatencyMs);
      const fate = this.#random();
      if (fate >= lossRate) {
        const result = this.#execute(operation, input);
        await world.sleep(this.#random() * maxLatencyMs);
        return result;
      }
      if (fate < lossRate / 2) this.#tryExecute(operation, input);
      if (attempt === 3) throw networkError();
    }
  }

  #tryExecute(operation: string, input: Attributes): void {
    try {
      this.#execute(operation, input);
    } catch {
      // No client receives the response, even if it is an error.
    }
  }

  #execute(operation: string, input: Attributes): unknown {
    const expression = input as Expression;
    switch (operation) {
      case "GetItem":
        return { Item: this.#read(input.Key as Attributes) };
      case "BatchGetItem": {
        const [[name, { Keys }]] = Object.entries(input.RequestItems as object) as [[string, { Keys: Attributes[] }]];
        return { Responses: { [name]: Keys.flatMap((key) => this.#read(key) ?? []) } };
      }
      case "Query":
        return { Items: this.#query(input) };
      case "PutItem":
        this.#check(input.Item as Attributes, expression);
        this.#put(input.Item as Attributes);
        return {};
      case "UpdateItem":
        this.#check(input.Key as Attributes, expression);
        return { Attributes: this.#update(input.Key as Attributes, expression) };
      case "DeleteItem": {
        this.#check(input.Key as Attributes, expression);
        const old = this.#read(input.Key as Attributes);
        this.items.delete(toKey(input.Key as Attributes));
        return { Attributes: old };
      }
      case "BatchWriteItem":
        for (const requests of Object.values(input.RequestItems as Record<string, Attributes[]>)) {
          for (const { DeleteRequest } of requests)
            this.items.delete(toKey((DeleteRequest as { Key: Attributes }).Key));
        }
        return {};
      case "TransactWriteItems":
        return this.#transact(input);
      default:
        throw new Error(`the simulated table does not support ${operation}`);
    }
  }

  #read(key: Attributes): Attributes | undefined {
    return structuredClone(this.items.get(toKey(key)));
  }

  #put(item: Attributes): void {
    this.items.set(toKey(item), structuredClone(item));
  }

  #update(key: Attributes, expression: Expression): Attributes {
    const updated = applyUpdate(this.#read(key) ?? key, expression);
    this.#put(updated);
    return updated;
  }

  #query(input: Attributes): Attributes[] {
    const { KeyConditionExpression = "" } = input as Expression;
    const sk = input.IndexName === undefined ? "sk" : `${input.IndexName}sk`;
    const items = [...this.items.values()]
      .filter((item) => isConditionMet(KeyConditionExpression, item, input as Expression))
      .sort((a, b) => (String(a[sk]) < String(b[sk]) ? -1 : 1));
    if (input.ScanIndexForward === false) items.reverse();
    return structuredClone(items.slice(0, (input.Limit as number | undefined) ?? items.length));
  }

  #isAllowed(key: Attributes, expression: Expression): boolean {
    const { ConditionExpression } = expression;
    return ConditionExpression === undefined || isConditionMet(ConditionExpression, this.#read(key), expression);
  }

  #check(key: Attributes, expression: Expression): void {
    if (this.#isAllowed(key, expression)) return;
    const item = this.#read(key);
    throw new DynamodbError("ConditionalCheckFailedException", "simulated", { status: 400, ...(item && { item }) });
  }

  #transact({ TransactItems, ClientRequestToken }: Attributes): object {
    const token = String(ClientRequestToken);
    if (this.#tokens.has(token)) return {};
    const writes = (TransactItems as Record<string, Attributes>[]).map((write) => Object.entries(write)[0]);
    const reasons = writes.map((entry) => {
      const [, write] = entry as [string, Attributes];
      const key = (write.Item ?? write.Key) as Attributes;
      const isAllowed = this.#isAllowed(key, write as Expression);
      return { Code: isAllowed ? "None" : "ConditionalCheckFailed", item: this.#read(key) };
    });
    if (reasons.some(({ Code }) => Code !== "None")) {
      throw new DynamodbError("TransactionCanceledException", "simulated", { status: 400, reasons });
    }
    this.#tokens.add(token);
    for (const entry of writes) {
      const [kind, write] = entry as [string, Attributes];
      if (kind === "Put") this.#put(write.Item as Attributes);
      if (kind === "Update") this.#update(write.Key as Attributes, write as Expression);
      if (kind === "Delete") this.items.delete(toKey(write.Key as Attributes));
    }
    return {};
  }
}
