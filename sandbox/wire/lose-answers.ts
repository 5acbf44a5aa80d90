import { createHash } from 'node:crypto'
import { GraphQLError } from 'graphql'
import { int, row, sql } from '#kit/postgres'
import type { Api, Resolver } from './api.ts'

const CREDIT_MUTATIONS = [
  'storeCreditAccountCredit',
  'storeCreditAccountDebit',
  'giftCardCreate',
  'giftCardCredit',
  'giftCardDebit',
  'giftCardDeactivate',
  'discountCodeBasicCreate',
  'discountCodeBasicUpdate',
  'discountCodeDeactivate',
  'discountCodeDelete'
]

/** A mutation whose answers get lost in a shop that is scripted so. */
export function withAnswerFaults(name: string, resolve: Resolver): Resolver {
  return async (root, args, api: Api, info) => {
    const faults = api.shop.answerFaults
    if (!faults || !(faults.mutations ?? CREDIT_MUTATIONS).includes(name))
      return resolve(root, args, api as never, info)
    const { nth } = await api.db.direct.one(
      row({ nth: int }),
      sql`
      update sandbox.shops set faulty_answers = faulty_answers + 1
       where store_id = ${api.shop.storeId} returning faulty_answers as nth`
    )
    const roll =
      createHash('sha256')
        .update(`${faults.seed ?? 0}:${nth}`)
        .digest()
        .readUInt32BE(0) /
      2 ** 32
    const { lost = 0, unheard = 0 } = faults
    if (roll >= lost + unheard) return resolve(root, args, api as never, info)
    api.connection.lost = true
    // Nobody reads this error.
    if (roll >= lost) throw new GraphQLError('The connection is cut', { extensions: { code: 'INTERNAL_SERVER_ERROR' } })
    return resolve(root, args, api as never, info)
  }
}
