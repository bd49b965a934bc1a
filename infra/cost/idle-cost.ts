import type { Route } from "../../shared/api/define-route.ts";
import { routes } from "../../shared/api/routes.ts";
import type { Config } from "../config.ts";
import type { StackTemplate } from "../limits.ts";
import { SynthesisError } from "../synthesis-error.ts";
import { type Cost, computeCost } from "./compute-cost.ts";
import { idleUsage } from "./idle-usage.ts";
import { type Price, type PriceName, prices } from "./prices.ts";

/** Choice of an operator that changes the costs of a month without requests. */
interface CostSwitch {
  readonly name: string;
  readonly isOn: (config: Config) => boolean;
  readonly set: (config: Config, isOn: boolean) => Config;
}

const withSettings = <Group extends keyof Config["settings"]>(
  config: Config,
  group: Group,
  settings: Readonly<Record<string, string>>,
): Config => ({ ...config, settings: { ...config.settings, [group]: { ...config.settings[group], ...settings } } });

const probeKey = "{{resolve:secretsmanager:probe:SecretString}}";

const costSwitches: readonly CostSwitch[] = [
  {
    name: "web ACLs (-c waf)",
    isOn: ({ waf }) => waf === "true",
    set: (config, isOn) => ({ ...config, waf: isOn ? "true" : null }),
  },
  {
    name: "embeddings (EMBEDDING_PROVIDER)",
    isOn: ({ settings }) => settings.model.EMBEDDING_PROVIDER !== "none",
    set: (config, isOn) => withSettings(config, "model", { EMBEDDING_PROVIDER: isOn ? "openai-compatible" : "none" }),
  },
  {
    name: "customer-managed key (CUSTOMER_KEY)",
    isOn: ({ hasCustomerKey }) => hasCustomerKey,
    set: (config, isOn) => ({ ...config, hasCustomerKey: isOn }),
  },
  {
    name: "probe (PROBE)",
    isOn: ({ hasProbe }) => hasProbe,
    set: (config, isOn) => ({ ...config, hasProbe: isOn }),
  },
  {
    name: "questions of the probe (PROBE_KEY), with their secret and without their model",
    isOn: ({ hasProbe, settings }) => hasProbe && settings.probe.PROBE_KEY !== "",
    set: (config, isOn) =>
      withSettings({ ...config, hasProbe: isOn || config.hasProbe }, "probe", { PROBE_KEY: isOn ? probeKey : "" }),
  },
];

/** Returns the number of secrets that the settings name by a dynamic reference. */
const countNamedSecrets = ({ settings }: Config): number =>
  new Set(JSON.stringify(settings).match(/\{\{resolve:secretsmanager:(?:(?!:SecretString)[^{}])+/g)).size;

/** Routes whose functions have alarms of their own; no other route costs anything without requests. */
const pricedRoutes = routes.filter(({ streaming, id }) => streaming || id === "getHealth");

/** Costs of a month without requests of users. */
export interface IdleCosts {
  readonly cost: Cost;
  /** Costs that each switch adds, in the deployment that has the other choices. */
  readonly switches: readonly { readonly name: string; readonly isOn: boolean; readonly usd: number }[];
}

/**
 * Returns what a deployment costs in a month without requests of users.
 * @param synthesize returns the templates of a configuration with some routes
 */
export async function idleCosts(
  config: Config,
  synthesize: (config: Config, routes: readonly Route[]) => Promise<readonly StackTemplate[]>,
): Promise<IdleCosts> {
  const costOf = async (each: Config) =>
    computeCost(idleUsage(await synthesize(each, pricedRoutes), countNamedSecrets(each)), { isMonthly: true });
  const cost = await costOf(config);
  const switches: IdleCosts["switches"][number][] = [];
  for (const { name, isOn: read, set } of costSwitches) {
    const isOn = read(config);
    try {
      const { total } = await costOf(set(config, !isOn));
      switches.push({ name, isOn, usd: Math.abs(cost.total - total) });
    } catch (error) {
      // Not every choice exists in every region.
      if (!(error instanceof SynthesisError)) throw error;
    }
  }
  return { cost, switches };
}

const usd = (amount: number) => `${amount.toFixed(2)} USD`;

/** Returns lines with the costs of a month by item, and with the price of each switch. */
export const describeIdleCosts = ({ cost, switches }: IdleCosts): string[] => [
  ...Object.entries(cost.parts)
    .filter(([, part]) => part >= 0.005)
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, part]) => `${(prices[name as PriceName] as Price).unit}: ${usd(part)}`),
  ...switches.map(({ name, isOn, usd: price }) => `${isOn ? "on, costs" : "off, would cost"} ${usd(price)}: ${name}`),
];
