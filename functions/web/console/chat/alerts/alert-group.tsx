import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { t } from "../../lib/i18n.ts";
import { Button } from "../../ui/buttons.tsx";
import type { BranchTurn } from "../transcript/branch-turns.ts";
import { storyOf } from "./alert-card.tsx";

/** Groups consecutive alerts with the same title, service and severity. Every other message is a group of its own. */
export function groupAlerts(turns: readonly BranchTurn[]): BranchTurn[][] {
  const groups: BranchTurn[][] = [];
  for (const turn of turns) {
    const last = groups.at(-1)?.at(-1)?.message;
    const isRepeated =
      last?.role === "alert" && turn.message.role === "alert" && storyOf(last) === storyOf(turn.message);
    if (isRepeated) groups.at(-1)?.push(turn);
    else groups.push([turn]);
  }
  return groups;
}

/** Group of equal alerts. It shows the latest one with their number, and the others when the user opens them. */
export function AlertGroupView({
  turns,
  hasEarlier,
  renderTurn,
}: {
  readonly turns: readonly BranchTurn[];
  /** True if earlier messages, which are not loaded, can belong to the group. */
  readonly hasEarlier: boolean;
  readonly renderTurn: (turn: BranchTurn, index: number) => ComponentChildren;
}) {
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? turns : turns.slice(-1);
  return (
    <div class="stack tight">
      <Button isSmall kind="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen
          ? t("Show the latest only")
          : hasEarlier
            ? t("At least {count} equal alerts: show all", { count: turns.length })
            : t("{count} equal alerts: show all", { count: turns.length })}
      </Button>
      {shown.map(renderTurn)}
    </div>
  );
}
