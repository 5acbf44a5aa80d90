import type { Subscription } from './subscription.ts'

const FREQUENCY = { day: 'daily', week: 'weekly', month: 'monthly', year: 'yearly' } as const

/** How often a subscription is billed: `monthly`, `every_3_months`. */
export function billingFrequency({
  interval,
  intervalCount
}: Pick<Subscription, 'interval' | 'intervalCount'>): string {
  return intervalCount === 1 ? FREQUENCY[interval] : `every_${intervalCount}_${interval}s`
}

/** The direct API and webhooks have three statuses: failed and expired are `cancelled` there. */
export function publicStatus(status: Subscription['status']): 'active' | 'paused' | 'cancelled' {
  return status === 'active' || status === 'paused' ? status : 'cancelled'
}
