import type { LoggedEvent } from './queries.ts'

type Payload = { customer?: { id?: string; email?: string | null } | null; subscription_id?: string }

const payloadOf = ({ data }: LoggedEvent) => data as Payload

/** The ids of the customer and the subscription that an event is about, where it has them. */
export function subjectsOf(event: LoggedEvent): { customer: string | null; subscription: string | null } {
  const { customer, subscription_id } = payloadOf(event)
  return { customer: customer?.id ?? null, subscription: subscription_id ?? null }
}

/** Whom or what an event is about, in a few words. */
export function aboutOf(event: LoggedEvent): string {
  const { customer, subscription } = subjectsOf(event)
  return payloadOf(event).customer?.email ?? customer ?? subscription ?? '–'
}
