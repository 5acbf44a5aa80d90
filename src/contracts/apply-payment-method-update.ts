import { retryHeldCharges } from '#billing'
import type { Ctx } from '#kit/postgres'
import { enqueueContractSync, listContractsOfCustomers } from '#subscriptions'
import { markPaymentMethods } from '#subscriptions/transitions'

/**
 * Payment methods of these customers (platform numbers) are new or were renewed. Charges of `named`, the contracts that name one
 * of them and whose charge waits, are tried at once. All live contracts of the customers are read again: a contract that names
 * the method is the same as before, so no message reports it.
 */
export async function applyPaymentMethodUpdate(
  ctx: Ctx,
  customerIds: string[],
  named: { contractId: string; methodId: string }[]
): Promise<void> {
  await retryHeldCharges(
    ctx,
    named.map(({ contractId }) => contractId)
  )
  await markPaymentMethods(ctx, named)
  await enqueueContractSync(ctx, await listContractsOfCustomers(ctx, customerIds))
}
