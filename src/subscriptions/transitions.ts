export type SubscriptionStatus = 'active' | 'paused' | 'cancelled' | 'failed' | 'expired'

type Transition = { from: readonly SubscriptionStatus[]; to: SubscriptionStatus }

/** Which move is allowed from which status; a constraint in the database holds what each status implies. */
const transitions = {
  pause: { from: ['active'], to: 'paused' },
  resume: { from: ['paused'], to: 'active' },
  cancel: { from: ['active', 'paused', 'failed'], to: 'cancelled' },
  fail: { from: ['active'], to: 'failed' },
  expire: { from: ['active'], to: 'expired' }
} as const satisfies Record<string, Transition>

export type Move = keyof typeof transitions

export function allows(move: Move, status: SubscriptionStatus): boolean {
  return (transitions[move].from as readonly SubscriptionStatus[]).includes(status)
}
