import type { LanguageModelV4Prompt } from "@ai-sdk/provider";

/** Returns the text of a prompt, to estimate its tokens when the provider reports no usage. */
export function promptText(prompt: LanguageModelV4Prompt): string {
  return prompt
    .map(({ content }) => (typeof content === "string" ? content : content.map(partText).join("")))
    .join("\n");
}

function partText(part: Exclude<LanguageModelV4Prompt[number]["content"], string>[number]): string {
  if (part.type === "text") return part.text;
  if (part.type === "tool-call") return JSON.stringify(part.input);
  return part.type === "tool-result" && "value" in part.output ? JSON.stringify(part.output.value) : "";
}
