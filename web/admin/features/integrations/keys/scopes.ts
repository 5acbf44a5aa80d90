const GROUPS = [
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

/** The groups of scopes; each has one for reading and one for changing. The test compares them with those of the service. */
export const SCOPE_GROUPS = GROUPS.map((group) => ({ group, scopes: [`read:${group}`, `write:${group}`] as const }))

export const SCOPES: string[] = SCOPE_GROUPS.flatMap(({ scopes }) => scopes)

export const READING = SCOPES.filter((scope) => scope.startsWith('read:'))
