import { useState } from "preact/hooks";
import { t } from "../lib/i18n.ts";
import { CodeSnippet } from "./code-snippet.tsx";
import { Tabs } from "./tabs.tsx";

interface SnippetValues {
  readonly baseUrl: string;
  readonly model: string;
  /** Key to insert; without one, the snippets read it from the environment. */
  readonly apiKey: string | null;
}

/** Ready-to-paste programs that call the OpenAI-compatible API, by name. */
const snippets: Readonly<Record<string, (values: SnippetValues) => string>> = {
  curl: ({ baseUrl, model, apiKey }) => `curl ${baseUrl}/openai/v1/chat/completions \\
  -H "Authorization: Bearer ${apiKey ?? "$SWITCHBOARD_API_KEY"}" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "${model}", "messages": [{"role": "user", "content": "Hello!"}]}'`,
  Python: ({ baseUrl, model, apiKey }) => `# pip install openai
${apiKey ? "" : "import os\n"}from openai import OpenAI

client = OpenAI(
    base_url="${baseUrl}/openai/v1",
    api_key=${apiKey ? `"${apiKey}"` : 'os.environ["SWITCHBOARD_API_KEY"]'},
)
reply = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Hello!"}],
)
print(reply.choices[0].message.content)`,
  "Node.js": ({ baseUrl, model, apiKey }) => `// npm install openai
import OpenAI from "openai";

const client = new OpenAI({
  baseURL: "${baseUrl}/openai/v1",
  apiKey: ${apiKey ? `"${apiKey}"` : "process.env.SWITCHBOARD_API_KEY"},
});
const reply = await client.chat.completions.create({
  model: "${model}",
  messages: [{ role: "user", content: "Hello!" }],
});
console.log(reply.choices[0].message.content);`,
};

export function ApiSnippets({ model, apiKey }: { readonly model: string; readonly apiKey: string | null }) {
  const names = Object.keys(snippets);
  const [name, setName] = useState(names[0] ?? "");
  const code = snippets[name]?.({ baseUrl: location.origin, model, apiKey }) ?? "";
  return (
    <div class="stack tight">
      <Tabs
        label={t("Language of the snippet")}
        value={name}
        onValue={setName}
        options={names.map((each) => [each, each] as const)}
      />
      <CodeSnippet title={name} code={code} />
    </div>
  );
}
