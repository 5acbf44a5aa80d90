import { instant, int, json, nullable, type Queries, type RowOf, row, sql, text } from '#kit/postgres'

const CardRow = row({
  id: text,
  code: text,
  customerId: nullable(text),
  currency: text,
  initialMinor: int,
  balanceMinor: int,
  note: nullable(text),
  templateSuffix: nullable(text),
  expiresOn: nullable(text),
  recipient: nullable(json<Recipient>()),
  deactivatedAt: nullable(instant),
  createdAt: instant,
  updatedAt: instant
})
const TransactionRow = row({
  id: text,
  giftCardId: text,
  amountMinor: int,
  note: nullable(text),
  processedAt: instant
})
export type Recipient = {
  customerId: string
  preferredName: string | null
  message: string | null
  sendNotificationAt: string | null
}
export type GiftCard = RowOf<typeof CardRow> & { __typename: 'GiftCard' }
export type GiftCardTransaction = RowOf<typeof TransactionRow> & {
  __typename: 'GiftCardCreditTransaction' | 'GiftCardDebitTransaction'
}

const asCard = (found: RowOf<typeof CardRow>): GiftCard => ({ __typename: 'GiftCard', ...found })
const asTransaction = (found: RowOf<typeof TransactionRow>): GiftCardTransaction => ({
  __typename: found.amountMinor < 0 ? 'GiftCardDebitTransaction' : 'GiftCardCreditTransaction',
  ...found
})

export async function findGiftCards(q: Queries, storeId: number, ids: string[]): Promise<GiftCard[]> {
  const rows = await q.many(
    CardRow,
    sql`
    select id::text as id, code, customer_id::text as customer_id, currency, initial_minor, balance_minor, note, template_suffix,
           expires_on::text as expires_on, recipient, deactivated_at, created_at, updated_at
      from sandbox.gift_cards where store_id = ${storeId} and id = any(${ids}::bigint[])`
  )
  return rows.map(asCard)
}

/** By its code, ignoring case and spaces. */
export async function findGiftCardByCode(q: Queries, storeId: number, code: string): Promise<GiftCard | null> {
  const found = await q.maybeOne(
    CardRow,
    sql`
    select id::text as id, code, customer_id::text as customer_id, currency, initial_minor, balance_minor, note, template_suffix,
           expires_on::text as expires_on, recipient, deactivated_at, created_at, updated_at
      from sandbox.gift_cards where store_id = ${storeId} and code = ${normalCode(code)}`
  )
  return found && asCard(found)
}

/** The cards of a customer that have something on them and can be spent on this day, the oldest first. */
export async function listSpendableGiftCards(
  q: Queries,
  storeId: number,
  customerId: string,
  today: string
): Promise<GiftCard[]> {
  const rows = await q.many(
    CardRow,
    sql`
    select id::text as id, code, customer_id::text as customer_id, currency, initial_minor, balance_minor, note, template_suffix,
           expires_on::text as expires_on, recipient, deactivated_at, created_at, updated_at
      from sandbox.gift_cards
     where store_id = ${storeId} and customer_id = ${customerId} and balance_minor > 0 and deactivated_at is null
       and (expires_on is null or expires_on >= ${today}::date) order by gift_cards.id`
  )
  return rows.map(asCard)
}

/** Those of these customers who have a card, whatever is on it and whether it can still be spent. */
export async function listGiftCardHolders(q: Queries, storeId: number, customerIds: string[]): Promise<string[]> {
  const rows = await q.many(
    row({ customerId: text }),
    sql`
    select distinct customer_id::text as customer_id
      from sandbox.gift_cards where store_id = ${storeId} and customer_id = any(${customerIds}::bigint[])`
  )
  return rows.map(({ customerId }) => customerId)
}

const normalCode = (code: string): string => code.replace(/[\s-]/g, '').toLowerCase()

export type GiftCardFields = Pick<GiftCard, 'customerId' | 'note' | 'templateSuffix' | 'expiresOn' | 'recipient'>

/** Null if the shop has a card with this code. */
export async function insertGiftCard(
  q: Queries,
  storeId: number,
  card: GiftCardFields & { code: string; currency: string; amountMinor: number },
  now: Temporal.Instant
): Promise<GiftCard | null> {
  const found = await q.maybeOne(
    CardRow,
    sql`
    insert into sandbox.gift_cards (store_id, code, customer_id, currency, initial_minor, balance_minor, note, template_suffix,
                                    expires_on, recipient, created_at, updated_at)
    values (${storeId}, ${normalCode(card.code)}, ${card.customerId}, ${card.currency}, ${card.amountMinor}, ${card.amountMinor},
            ${card.note}, ${card.templateSuffix}, ${card.expiresOn}, ${card.recipient && JSON.stringify(card.recipient)}::jsonb,
            ${now}, ${now})
    on conflict do nothing
    returning id::text as id, code, customer_id::text as customer_id, currency, initial_minor, balance_minor, note,
              template_suffix, expires_on::text as expires_on, recipient, deactivated_at, created_at, updated_at`
  )
  return found && asCard(found)
}

export async function updateGiftCard(
  q: Queries,
  storeId: number,
  id: string,
  to: GiftCardFields,
  now: Temporal.Instant
): Promise<void> {
  await q.run(sql`
    update sandbox.gift_cards
       set customer_id = ${to.customerId}, note = ${to.note}, template_suffix = ${to.templateSuffix},
           expires_on = ${to.expiresOn}, recipient = ${to.recipient && JSON.stringify(to.recipient)}::jsonb, updated_at = ${now}
     where store_id = ${storeId} and id = ${id}`)
}

/** For ever: a card that is deactivated stays so. */
export async function deactivateGiftCard(
  q: Queries,
  storeId: number,
  id: string,
  now: Temporal.Instant
): Promise<void> {
  await q.run(sql`
    update sandbox.gift_cards set deactivated_at = ${now}, updated_at = ${now}
     where store_id = ${storeId} and id = ${id} and deactivated_at is null`)
}

/** Oldest first. */
export async function listGiftCardTransactions(
  q: Queries,
  storeId: number,
  giftCardId: string
): Promise<GiftCardTransaction[]> {
  const rows = await q.many(
    TransactionRow,
    sql`
    select id::text as id, gift_card_id::text as gift_card_id, amount_minor, note, processed_at
      from sandbox.gift_card_transactions where store_id = ${storeId} and gift_card_id = ${giftCardId}
     order by gift_card_transactions.id`
  )
  return rows.map(asTransaction)
}

/** Changes the balance and writes the transaction; null if the balance would become negative. */
export async function moveGiftCard(
  q: Queries,
  storeId: number,
  move: { giftCardId: string; amountMinor: number; note: string | null; processedAt: Temporal.Instant },
  now: Temporal.Instant
): Promise<GiftCardTransaction | null> {
  const found = await q.maybeOne(
    TransactionRow,
    sql`
    with moved as (
      update sandbox.gift_cards set balance_minor = balance_minor + ${move.amountMinor}, updated_at = ${now}
       where store_id = ${storeId} and id = ${move.giftCardId} and balance_minor + ${move.amountMinor} >= 0
      returning id
    )
    insert into sandbox.gift_card_transactions (store_id, gift_card_id, amount_minor, note, processed_at)
    select ${storeId}, moved.id, ${move.amountMinor}, ${move.note}, ${move.processedAt} from moved
    returning id::text as id, gift_card_id::text as gift_card_id, amount_minor, note, processed_at`
  )
  return found && asTransaction(found)
}
