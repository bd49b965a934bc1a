import { useState } from "preact/hooks";
import { t } from "../../lib/i18n.ts";
import { findGateStop, type GateStop } from "../../lib/toast.ts";
import { can } from "../../session/session.ts";
import type { FormField } from "../../ui/form-fields.tsx";
import { testRunPath } from "../evaluations/test-paths.ts";

/** Returns parts of a form that publishes a version, for after the gate of the persona has stopped it. */
export function useGateStop() {
  const [stop, setStop] = useState<GateStop | null>(null);
  /** Publishes, and keeps the reason if the gate stops it. */
  const guard = async <Reply,>(publish: () => Promise<Reply>): Promise<Reply> => {
    try {
      return await publish();
    } catch (error) {
      setStop(findGateStop(error));
      throw error;
    }
  };
  const link = stop?.run_id && (
    <a href={`${testRunPath(stop.run_id)}${stop.reason === "failed" ? "?show=failed" : ""}`}>
      {t("Open the test run")}
    </a>
  );
  const overrideField: FormField<"override_reason"> | false = stop !== null &&
    can("rbac.manage") && {
      name: "override_reason",
      label: t("Publish anyway, because"),
      hint: t("The audit trail records the reason."),
    };
  return { guard, link, overrideField };
}
