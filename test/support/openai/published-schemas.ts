import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

interface Published {
  readonly paths: Readonly<Record<string, { readonly post?: unknown }>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

const document = JSON.parse(readFileSync("openapi.json", "utf8")) as Published;
const ajv = new Ajv2020({ strict: false, validateFormats: false, discriminator: false });
ajv.addSchema({ $id: "openapi", ...document });

const validators = new Map<string, ValidateFunction>();

/** Returns the validator of the events that a path streams. */
function validatorOf(path: string): ValidateFunction {
  const cached = validators.get(path);
  if (cached) return cached;
  const pointer = path.replaceAll("~", "~0").replaceAll("/", "~1");
  const $ref = `openapi#/paths/${pointer}/post/responses/200/content/text~1event-stream/schema`;
  const validate = ajv.compile({ $ref });
  validators.set(path, validate);
  return validate;
}

/** Number of events that were validated so far, by their type. */
export const validatedEvents = new Map<string, number>();

/** Validates the data of an event against the schema in `openapi.json`. @throws Error that names what is wrong */
export function validatePublishedEvent(path: string, data: string): void {
  if (data === "[DONE]") return;
  const event = JSON.parse(data) as { readonly type?: string; readonly object?: string };
  const validate = validatorOf(path);
  if (!validate(event)) throw new Error(`${path}: ${ajv.errorsText(validate.errors)} in ${data.slice(0, 500)}`);
  const type = event.type ?? event.object ?? "error";
  validatedEvents.set(type, (validatedEvents.get(type) ?? 0) + 1);
}

/** `fetch` that validates every event of a stream against `openapi.json`. The errors are collected, because clients hide them. */
export function publishedFetch(errors: string[]): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { status, statusText, headers } = response;
    if (!headers.get("content-type")?.startsWith("text/event-stream") || !response.body) return response;
    const path = new URL(input instanceof Request ? input.url : input).pathname;
    const decoder = new TextDecoder();
    let pending = "";
    const validator = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        const lines = (pending + decoder.decode(bytes, { stream: true })).split("\n");
        pending = lines.pop() ?? "";
        for (const line of lines.filter((each) => each.startsWith("data: "))) {
          try {
            validatePublishedEvent(path, line.slice("data: ".length));
          } catch (error) {
            errors.push(String(error));
          }
        }
        controller.enqueue(bytes);
      },
    });
    return new Response(response.body.pipeThrough(validator), { status, statusText, headers });
  };
}
