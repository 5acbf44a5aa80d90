import { noScopes, unknownScope } from './refusals.ts'

/** The groups of scopes; each has a `read:` and a `write:` scope. The spec does not define permissions. */
const SCOPE_GROUPS = [
  'members',
  'subscriptions',
  'billing',
  'store_credits',
  'analytics',
  'data',
  'churn',
  'loyalty',
  'webhooks'
] as const

export type Scope = `${'read' | 'write'}:${(typeof SCOPE_GROUPS)[number]}`

export const SCOPES: readonly Scope[] = SCOPE_GROUPS.flatMap((group) => [`read:${group}`, `write:${group}`] as const)

const known = new Set<string>(SCOPES)

/** The requested scopes, each once and in our order; all of them when they are left out. Refuses an empty list and unknown ones. */
export function scopesFrom(requested: readonly string[] | undefined): Scope[] {
  if (requested === undefined) return [...SCOPES]
  if (requested.length === 0) throw noScopes()
  const unknown = requested.find((scope) => !known.has(scope))
  if (unknown !== undefined) throw unknownScope(unknown, SCOPES)
  return SCOPES.filter((scope) => requested.includes(scope))
}
