import type { EndpointName, ExportEndpoint } from '../endpoint.ts'
import { cancellationReasons } from './cancellation-reasons.ts'
import { creditsHistory } from './credits-history.ts'
import { customers } from './customers.ts'
import { members } from './members.ts'
import { orders } from './orders.ts'
import { storeCredits } from './store-credits.ts'
import { subscriptions } from './subscriptions.ts'

/** The endpoints of the Data API, in the order of the spec. */
export const endpoints: readonly ExportEndpoint[] = [
  members,
  creditsHistory,
  orders,
  customers,
  subscriptions,
  cancellationReasons,
  storeCredits
]

const byName = new Map(endpoints.map((endpoint) => [endpoint.name, endpoint]))

export const endpointOf = (name: EndpointName): ExportEndpoint => byName.get(name)!
