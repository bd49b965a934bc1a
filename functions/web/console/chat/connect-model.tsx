import { t } from "../lib/i18n.ts";
import { CodeSnippet } from "../ui/code-snippet.tsx";

const settings = `export MODEL_PROVIDER=openai-compatible
export MODEL_BASE_URL=https://api.openai.com/v1
export MODEL_API_KEY=sk-…
export MODEL_ID=gpt-4.1`;

const test = `curl -s ${location.origin}/health | grep -o '"model":[^,}]*'`;

/** Explains to administrators that the demo model answers, and how to connect a language model. */
export function ConnectModel() {
  return (
    <details class="connect-model">
      <summary>{t("The demo model answers. It finds and quotes passages, and writes nothing of its own.")}</summary>
      <ol class="stack tight">
        <li>
          {t("Name your provider in the environment of the service. Ollama, vLLM, OpenRouter and others work too.")}
          <CodeSnippet title="sh" code={settings} />
        </li>
        <li>{t("Start the service again: npm start on a laptop, npx cdk deploy --all on AWS.")}</li>
        <li>
          {t("Check that the model answers, and ask a question here.")}
          <CodeSnippet title="sh" code={test} />
        </li>
      </ol>
      <a href="/docs/guides/deployment#connect-a-model" target="_blank" rel="noreferrer">
        {t("All settings of models")}
      </a>
    </details>
  );
}
