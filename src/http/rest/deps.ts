import type { HttpDeps } from '../shared/deps.ts'
import type { ChangeCredit } from './store-credits/change-credit.ts'
import type { ReserveCredit } from './store-credits/reserve-credit-in-order.ts'

/** What the routes of the direct API are given. */
export type RestDeps = Pick<HttpDeps, 'db' | 'connectorOf' | 'vault' | 'addresses'> & {
  changeCredit: ChangeCredit
  reserveCredit: ReserveCredit
}
