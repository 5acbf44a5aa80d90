/** What a route of the admin API may ask of its caller; each route declares one. */
export const PERMISSIONS = ['view', 'support', 'develop', 'manage', 'install'] as const
export type Permission = (typeof PERMISSIONS)[number]

/**
 * What people may do, by their role. `view`: read everything but exports of personal data and receipts. `support`: what is done for a
 * customer: subscriptions, credit, receipts. `develop`: keys, webhooks, the connection of a store, the sandbox. `manage`: what a store sells
 * and promises, imports, privacy. `install`: what belongs to no store: new stores, people, what they changed; and whether and how a store is
 * connected, and its end.
 */
export const PERMISSIONS_OF = {
  owner: PERMISSIONS,
  developer: ['view', 'develop'],
  support: ['view', 'support'],
  read_only: ['view']
} as const satisfies Record<string, readonly Permission[]>

/** What the people of a shop may do in its own store, who open the interface in the platform's admin: whoever opens an app there was given it by the owner. */
export const STAFF_PERMISSIONS = ['view', 'support', 'develop', 'manage'] as const satisfies readonly Permission[]

export type Role = keyof typeof PERMISSIONS_OF
export const ROLES = Object.keys(PERMISSIONS_OF) as Role[]

/** The roles that have a permission. */
export const rolesWith = (permission: Permission): Role[] =>
  ROLES.filter((role) => (PERMISSIONS_OF[role] as readonly Permission[]).includes(permission))
