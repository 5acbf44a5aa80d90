import type { Queries } from '#kit/postgres'
import { type Contract, findContracts, listContractsOf } from '../state/contracts.ts'
import { listMetafields } from '../state/metafields.ts'
import { giftsIn, giverIn, heldIn, words } from './metafield-values.ts'

/** What a customer pays for, and what they hold: a membership that was given away is its receiver's. */
export type Holdings = {
  /** Contracts that the customer pays for and holds. */
  own: Contract[]
  /** Contracts that the customer pays for and others hold. */
  given: { contract: Contract; to: string }[]
  /** Contracts of others that the customer holds; `from` is null where the app does not say who pays. */
  received: { contract: Contract; from: string | null }[]
}

/** The platform knows of no gifts: the app says who holds what, by metafields of the customer. */
export async function holdingsOf(q: Queries, storeId: number, customerId: string): Promise<Holdings> {
  const paid = await listContractsOf(q, storeId, [customerId])
  const metafields = await listMetafields(q, storeId, [`Customer/${customerId}`])
  const gifts = new Map(giftsIn(metafields).map(({ contractId, to }) => [contractId, to]))
  const ids = heldIn(metafields).flatMap(({ scid }) => (/^\d{1,18}$/.test(words(scid)) ? words(scid) : []))
  const others = (await findContracts(q, storeId, ids)).filter((contract) => contract.customerId !== customerId)
  return {
    own: paid.filter(({ id }) => !gifts.has(id)),
    given: paid.filter(({ id }) => gifts.has(id)).map((contract) => ({ contract, to: gifts.get(contract.id)! })),
    received: others.map((contract) => ({ contract, from: giverIn(metafields, contract.id) }))
  }
}

/** The contracts of what a customer holds, whoever pays. */
export const contractsHeld = ({ own, received }: Holdings): Contract[] => [
  ...own,
  ...received.map(({ contract }) => contract)
]
