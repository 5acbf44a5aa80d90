import { unknownScope } from './refusals.ts'

/** What a key may be allowed, one `read:` and one `write:` per group (the spec leaves permissions open). */
const SCOPE_GROUPS = ['members', 'subscriptions', 'billing', 'store_credits', 'analytics', 'data', 'churn'] as const

export type Scope = `${'read' | 'write'}:${(typeof SCOPE_GROUPS)[number]}`

export const SCOPES: readonly Scope[] = SCOPE_GROUPS.flatMap((group) => [`read:${group}`, `write:${group}`] as const)

const known = new Set<string>(SCOPES)

/** The scopes asked for, each once and in our order; all of them when none are named. Refuses an unknown one. */
export function scopesFrom(asked: readonly string[] | undefined): Scope[] {
  if (asked === undefined || asked.length === 0) return [...SCOPES]
  const unknown = asked.find((scope) => !known.has(scope))
  if (unknown !== undefined) throw unknownScope(unknown, SCOPES)
  return SCOPES.filter((scope) => asked.includes(scope))
}
