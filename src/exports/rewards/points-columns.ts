import { bool, type Ctx, row, sql, text } from '#kit/postgres'
import type { Field, Scope } from '../endpoint.ts'
import { literal } from '../format-fields.ts'

/** What a member's row shows where the shop hides the balance from its storefront. */
const HIDDEN = ' - '

/**
 * The field `<integration>_points` of each active integration, for rows of members `m`: the balance in digits, empty when it is not
 * known.
 */
export async function listPointsColumns(ctx: Ctx): Promise<{ fields: Field[]; joins: (scope: Scope) => string }> {
  const active = await ctx.tx.many(
    row({ key: text, isShown: bool }),
    sql`select key, is_shown from reward_integrations where store_id = ${ctx.storeId} and is_active order by key`
  )
  const shown = active.filter(({ isShown }) => isShown).map(({ key }) => key)
  const alias = (key: string) => `rewards_${shown.indexOf(key)}`
  return {
    fields: active.map(({ key, isShown }) => ({
      name: `${key}_points`,
      sql: isShown ? `${alias(key)}.points` : literal(HIDDEN),
      format: 'text',
      meaning: `The balance of points at ${key}`
    })),
    joins: ({ store, within }) =>
      shown
        .map(
          (key) => `left join reward_balances ${alias(key)} on ${alias(key)}.store_id = ${store}
   and ${alias(key)}.key = ${literal(key)} and ${alias(key)}.member_id = m.id
   and ${within(`${alias(key)}.member_id`)}`
        )
        .join('\n  ')
  }
}
