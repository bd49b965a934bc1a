import type { LanguageModelV4Prompt } from "@ai-sdk/provider";

/** Returns all texts of a prompt, from which its tokens are estimated if the provider reports no usage. */
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
