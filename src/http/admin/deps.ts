import type { SignIn } from '#team'
import type { HttpDeps } from '../shared/deps.ts'

/** What the routes of the admin API are given. */
export type AdminDeps = HttpDeps & {
  /** The OpenAPI document of this surface, which is made after its routes are registered. */
  adminDocument: () => object
  /** Knows whose session a cookie names. */
  signIn: SignIn
}
