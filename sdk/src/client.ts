import { createCore } from './core.ts'
import type { ClientOptions } from './options.ts'
import { Analytics } from './resources/analytics.ts'
import { BillingAttempts } from './resources/billing-attempts.ts'
import { Events } from './resources/events.ts'
import { Loyalty } from './resources/loyalty.ts'
import { Members } from './resources/members.ts'
import { StoreCredits } from './resources/store-credits.ts'
import { Subscriptions } from './resources/subscriptions.ts'
import { WebhookDeliveries } from './resources/webhook-deliveries.ts'
import { WebhookEndpoints } from './resources/webhook-endpoints.ts'

export type Client = {
  members: Members
  subscriptions: Subscriptions
  billingAttempts: BillingAttempts
  storeCredits: StoreCredits
  loyalty: Loyalty
  analytics: Analytics
  events: Events
  webhookEndpoints: WebhookEndpoints
  webhookDeliveries: WebhookDeliveries
}

/** A client of the REST API of one store. Create one and reuse it. */
export function createClient(options: ClientOptions): Client {
  const core = createCore(options)
  return {
    members: new Members(core),
    subscriptions: new Subscriptions(core),
    billingAttempts: new BillingAttempts(core),
    storeCredits: new StoreCredits(core),
    loyalty: new Loyalty(core),
    analytics: new Analytics(core),
    events: new Events(core),
    webhookEndpoints: new WebhookEndpoints(core),
    webhookDeliveries: new WebhookDeliveries(core)
  }
}
