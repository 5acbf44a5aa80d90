import { definePersonalData, identifiersOf, inOneStep } from '#kit/personal-data'
import { sql } from '#kit/postgres'

/** Codes that spend credit. A code is made by chance and says nothing of the person; what the platform said to it may. */
export const codesHeld = definePersonalData({
  table: 'credit_codes',
  columns: ['problem', 'last_error'],
  held: ({ storeId }, { memberIds }) => sql`
    select jsonb_build_object('code', c.code, 'amount_minor', c.amount_minor, 'status', c.status, 'created_at', c.created_at,
                              'ends_at', c.ends_at, 'ended_at', c.ended_at) as held
      from credit_codes c where c.store_id = ${storeId} and c.member_id = any(${memberIds}::bigint[]) order by c.id`,
  erase: inOneStep(
    ({ storeId }, person) => sql`
    update credit_codes set problem = regexp_replace(problem, ${identifiersOf(person)}, 'erased', 'gi'),
                            last_error = regexp_replace(last_error, ${identifiersOf(person)}, 'erased', 'gi')
     where store_id = ${storeId} and member_id = any(${person.memberIds}::bigint[])
       and concat_ws(' ', problem, last_error) ~* ${identifiersOf(person)}`
  )
})

/** The same for accounts and gift cards on the platform. */
export const spendingAccountsHeld = definePersonalData({
  table: 'spending_accounts',
  columns: ['problem', 'last_error'],
  held: ({ storeId }, { memberIds }) => sql`
    select jsonb_build_object('platform_account_id', a.platform_account_id, 'mirrored_minor', a.mirrored_minor) as held
      from spending_accounts a where a.store_id = ${storeId} and a.member_id = any(${memberIds}::bigint[]) order by a.member_id`,
  erase: inOneStep(
    ({ storeId }, person) => sql`
    update spending_accounts set problem = regexp_replace(problem, ${identifiersOf(person)}, 'erased', 'gi'),
                                 last_error = regexp_replace(last_error, ${identifiersOf(person)}, 'erased', 'gi')
     where store_id = ${storeId} and member_id = any(${person.memberIds}::bigint[])
       and concat_ws(' ', problem, last_error) ~* ${identifiersOf(person)}`
  )
})

/** Gift cards by their last characters, as the platform shows them to the customer. */
export const giftCardsHeld = definePersonalData({
  table: 'spending_gift_cards',
  columns: ['last_characters'],
  held: ({ storeId }, { memberIds }) => sql`
    select jsonb_build_object('last_characters', g.last_characters, 'status', g.status, 'created_at', g.created_at,
                              'platform_gift_card_id', g.platform_gift_card_id) as held
      from spending_gift_cards g where g.store_id = ${storeId} and g.member_id = any(${memberIds}::bigint[]) order by g.id`,
  // They say nothing of who has the card, and a closed card is recognized by them.
  erase: async () => ({ changed: 0, next: null })
})

/** What the platform reported of the customer's account. */
export const platformCreditHeld = definePersonalData({
  table: 'platform_credit_transactions',
  columns: ['transaction_key'],
  held: ({ storeId }, { memberIds }) => sql`
    select to_jsonb(t) - '{store_id,recorded_at}'::text[] as held from platform_credit_transactions t
     where t.store_id = ${storeId} and t.member_id = any(${memberIds}::bigint[]) order by t.happened_at, t.transaction_key`,
  // A number of the platform's ledger, which keeps the sums; certainly not that of the person.
  erase: async () => ({ changed: 0, next: null })
})
