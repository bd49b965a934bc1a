import { evaluateExpression } from "../../../shared/chat/tools/evaluate-expression.ts";

/** Words and signs of operators in six languages, with the operators that they stand for. */
const operators: readonly (readonly [RegExp, string])[] = [
  [/(?:percent|per cent|%|prozent|por ciento|pour cent|per ?cento|por cento) (?:of|von|de|di|des?l?)(?= )/g, "/100*"],
  [/(?<=\d) ?(?:x|×|·|times|multiplied by|mal|por|fois|per|vezes) ?(?=[\d(])/g, "*"],
  [
    /(?<=\d) ?(?:÷|:|divided by|geteilt durch|durch|dividido (?:por|entre)|entre|divisé par|diviso(?: per)?) ?(?=[\d(])/g,
    "/",
  ],
  [/ (?:plus|und|más|et|più|mais)(?= [\d(])/g, "+"],
  [/ (?:minus|menos|moins|meno)(?= [\d(])/g, "-"],
  [
    /(?:the )?square root of (\d+)|(?:die )?(?:quadrat)?wurzel (?:aus|von) (\d+)|ra[ií]z cuadrada de (\d+)/g,
    "($1$2$3)^0.5",
  ],
];

/** Words that may surround an expression in a question about its result. */
const questionWords =
  /^(?:(?:please|can|you|could|tell|me|what|whats|what's|is|how|much|many|does|do|make|calculate|compute|evaluate|solve|work|out|the|result|of|equal|equals|hi|hello|was|ist|sind|wie|viel|wieviel|ergibt|macht|bitte|rechne|berechne|das|aus|kannst|du|cuánto|cuanto|es|son|calcula|resultado|cuál|el|combien|fait|font|ça|calcule|quel|est|résultat|quanto|fa|fanno|é|são|dá|calcola|qual|o|a|in|euro|euros)\s*)*$/;

/**
 * Returns the expression of a question that asks for nothing but its result, and the result: `17 * 3`, 51. Returns undefined
 * for any other text.
 */
export function findResult(question: string): { readonly expression: string; readonly value: number } | undefined {
  let text = ` ${question.slice(0, 200).toLowerCase().replaceAll("−", "-")} `;
  // A comma before three digits separates thousands; any other one is a decimal comma.
  text = text.replace(/(?<=\d),(?=\d{3}(?!\d))/g, "").replace(/(?<=\d),(?=\d)/g, ".");
  for (const [pattern, operator] of operators) text = text.replace(pattern, operator);
  const expression = /[-+(]*\d[\d\s.()+*/^%-]*/.exec(text)?.[0].replace(/[\s.]+$/, "") ?? "";
  const rest = text
    .replace(expression, " ")
    .replace(/[=?!.,:;¿¡]/g, " ")
    .trim();
  if (!/[\d)]\s*[+*/^%-]\s*[-(\d]/.test(expression) || !questionWords.test(rest)) return undefined;
  try {
    return { expression, value: evaluateExpression(expression) };
  } catch {
    return undefined;
  }
}
