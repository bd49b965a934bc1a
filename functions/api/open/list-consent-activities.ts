import { listConsentActivities } from "#shared/api/open.ts";
import { consentActivities } from "#shared/domain/consent-activities.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(listConsentActivities, async () => ({
  activities: consentActivities.map((activity) => ({ ...activity })),
}));
