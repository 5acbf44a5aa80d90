import type { Account } from '../../../sdk/src/storefront-answers.ts'
import { call, Failure } from './api.ts'

/**
 * What the customer has who is logged in; null for a visitor. Anything else that is no account, such as the 404 of a proxy that leads
 * elsewhere, says nothing of what they have, and is a failure that another try may mend.
 */
export const readAccount = (membership: string): Promise<Account | null> =>
  call<Account>(`${membership}/account`).catch(({ status, message }: Failure) => {
    if (status === 403) return null
    throw new Failure(0, message)
  })
