import type { GenericSchema } from "valibot";
import { connectionEvents } from "../api/conversations/chat-events.ts";
import type { Route, StreamEvents } from "../api/define-route.ts";
import { convertSchema, convertSchemas, type Json, type NamedSchemas, refTo, type Variant } from "./json-schema.ts";

/** Returns the name of an event's schema: `ChatEvent` and `thinking_step` give `ChatThinkingStepEvent`. */
export function eventSchemaName(schemaName: string, event: string): string {
  const words = event.split("_").map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`);
  return schemaName.replace(/Event$/, `${words.join("")}Event`);
}

/** Schemas of a stream's events: one for each event, and their union, which the event name discriminates. */
export function eventSchemas({ schemaName, payloads }: StreamEvents, toSchema: (schema: GenericSchema) => Json) {
  const members = Object.entries(payloads).map(([event, payload]) => {
    const hasId = !(event in connectionEvents);
    const properties = {
      ...(hasId && { id: { type: "string", description: "`<message_id>:<seq>`, with `seq` from 1 without gaps" } }),
      event: { type: "string", const: event },
      data: toSchema(payload),
    };
    const required = Object.keys(properties);
    return [eventSchemaName(schemaName, event), { type: "object", properties, required }] as const;
  });
  const names = members.map(([name]) => name);
  const mapping = Object.fromEntries(
    Object.keys(payloads).map((event, index) => [event, `#/components/schemas/${names[index]}`]),
  );
  const union = {
    description: "An event of the stream. On the wire, `data` is the JSON text of the `data:` line.",
    oneOf: names.map(refTo),
    discriminator: { propertyName: "event", mapping },
  };
  return Object.fromEntries<Json>([...members, [schemaName, union]]);
}

/** Schemas of the data of a stream's events: one schema, or one for each type of event, and their union. */
export function chunkSchemas(
  { schemaName, schema }: NonNullable<Route["chunk"]>,
  schemas: NamedSchemas,
): Readonly<Record<string, Json>> {
  const { key, options = [] } = schema as Partial<Variant>;
  const prefix = schemaName.replace(/StreamEvent$/, "");
  const members = Object.fromEntries(
    options.map((option) => {
      const words = String(option.entries[key ?? ""]?.literal)
        .split(/[._]/)
        .filter((word) => word !== prefix.toLowerCase());
      const name = [prefix, ...words.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`), "Event"].join("");
      return [name, option];
    }),
  );
  const converted = convertSchemas("output", Object.values(members), schemas);
  return {
    ...Object.fromEntries(Object.entries(members).map(([name, member]) => [name, converted.get(member) as Json])),
    [schemaName]: convertSchema("output", schema, { ...schemas, ...members }),
  };
}

/** Returns an event as text of a `text/event-stream`. */
export function formatExampleEvent(example: Json): string {
  const id = "id" in example ? `id: ${example.id}\n` : "";
  return `${id}event: ${example.event}\ndata: ${JSON.stringify(example.data)}\n\n`;
}
