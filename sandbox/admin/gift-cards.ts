import { randomInt } from 'node:crypto'
import { GraphQLError } from 'graphql'
import { int, row, sql } from '#kit/postgres'
import {
  deactivateGiftCard,
  type GiftCard,
  type GiftCardFields,
  type GiftCardTransaction,
  insertGiftCard,
  listGiftCardTransactions,
  moveGiftCard,
  type Recipient,
  updateGiftCard
} from '../state/gift-cards.ts'
import type { Api, Resolver, Resolvers } from '../wire/api.ts'
import { type PageArgs, pageOf } from '../wire/connections.ts'
import { isNumericId, numberIn, parseGid } from '../wire/gid.ts'
import { amountFrom, moneyV2 } from '../wire/money.ts'
import { listing } from '../wire/pages.ts'
import { type UserError, userError } from './user-errors.ts'

/** The most that one card may have, and that one purchase may issue, in units of the currency. */
const ISSUE_LIMIT = '3000'
const PURCHASE_LIMIT = '14000'
const CODE_LENGTH = { least: 8, most: 20, ours: 16 }
/** Without letters and digits that look alike. */
const CODE_ALPHABET = 'abcdefgh2346789'

const pageOfGiftCards = listing({
  table: 'sandbox.gift_cards',
  sorts: { CREATED_AT: 'created_at', UPDATED_AT: 'updated_at', CODE: 'code' },
  where: `($6::jsonb->>'status_eq' is null or (deactivated_at is null) = (lower($6::jsonb->>'status_eq') = 'enabled'))
               and ($6::jsonb->>'customer_id_eq' is null or customer_id = ($6::jsonb->>'customer_id_eq')::bigint)
               and ($6::jsonb->>'text' is null or lower($6::jsonb->>'text') in (code, right(code, 4)))`
})

type MoneyInput = { amount: string; currencyCode: string }
type RecipientInput = {
  id: string
  preferredName?: string | null
  message?: string | null
  sendNotificationAt?: Temporal.Instant | null
}
type UpdateInput = {
  customerId?: string | null
  note?: string | null
  templateSuffix?: string | null
  expiresOn?: string | null
  recipientAttributes?: RecipientInput | null
}
type CreateInput = UpdateInput & {
  code?: string | null
  initialValue?: string | null
  initialAmount?: MoneyInput | null
}

const noCard = (code?: string) => userError(['id'], 'The gift card could not be found.', code)

const findCard = async (api: Api, text: string): Promise<GiftCard | null> => {
  const parsed = parseGid(api.shop, text)
  return parsed?.type === 'GiftCard' && isNumericId(parsed.id) ? api.load.giftCard.get(parsed.id) : null
}

/** A text that is too long is an error of the whole field. */
function refuseLongTexts(given: RecipientInput | null | undefined): void {
  for (const [field, most] of [['preferredName', 255] as const, ['message', 200] as const]) {
    if ((given?.[field]?.length ?? 0) <= most) continue
    throw new GraphQLError(`${field} is too long (maximum is ${most})`, {
      extensions: { code: 'INVALID_FIELD_ARGUMENTS' }
    })
  }
}

/** What is wrong with the people that a card is given to. */
async function problemOfPeople(api: Api, { customerId, recipientAttributes }: UpdateInput): Promise<UserError | null> {
  if (customerId && !(await api.load.customer.get(numberIn(api.shop, 'Customer', customerId)))) {
    return userError(['input', 'customerId'], 'The customer could not be found.', 'CUSTOMER_NOT_FOUND')
  }
  const recipient = recipientAttributes?.id
  if (recipient && !(await api.load.customer.get(numberIn(api.shop, 'Customer', recipient)))) {
    const field = ['input', 'recipientAttributes', 'id']
    return userError(field, 'The recipient could not be found.', 'RECIPIENT_NOT_FOUND')
  }
  return null
}

/** The stored fields of an input, over those that the card has. */
function fieldsFrom(api: Api, input: UpdateInput, before: GiftCardFields): GiftCardFields {
  const { customerId, note, templateSuffix, expiresOn, recipientAttributes: to } = input
  const number = (id: string) => numberIn(api.shop, 'Customer', id)
  const recipient: Recipient | null = to
    ? {
        customerId: number(to.id),
        preferredName: to.preferredName ?? null,
        message: to.message ?? null,
        sendNotificationAt: to.sendNotificationAt?.toString() ?? null
      }
    : null
  return {
    customerId: customerId === undefined ? before.customerId : customerId && number(customerId),
    note: note === undefined ? before.note : note,
    // The name of a template's file may be given whole.
    templateSuffix:
      templateSuffix === undefined ? before.templateSuffix : (templateSuffix?.replace(/^gift_card\./, '') ?? null),
    expiresOn: expiresOn === undefined ? before.expiresOn : expiresOn,
    recipient: to === undefined ? before.recipient : recipient
  }
}

const EMPTY: GiftCardFields = { customerId: null, note: null, templateSuffix: null, expiresOn: null, recipient: null }

async function create(_root: unknown, { input }: { input: CreateInput }, api: Api) {
  const refused = (problem: UserError) => ({ giftCard: null, giftCardCode: null, userErrors: [problem] })
  refuseLongTexts(input.recipientAttributes)
  const { currency } = api.shop
  const field = ['input', input.initialAmount ? 'initialAmount' : 'initialValue']
  const given = input.initialAmount?.amount ?? input.initialValue
  if (given == null) return refused(userError(field, "can't be blank", 'MISSING_ARGUMENT'))
  if (input.initialAmount && input.initialAmount.currencyCode !== currency) {
    return refused(userError([...field, 'currencyCode'], `must be ${currency}`, 'INVALID'))
  }
  const amountMinor = amountFrom(given, currency)
  if (amountMinor === null || amountMinor <= 0)
    return refused(userError(field, 'must be greater than 0', 'GREATER_THAN'))
  if (amountMinor > amountFrom(ISSUE_LIMIT, currency)!) {
    return refused(userError(field, `can't exceed ${ISSUE_LIMIT}.00 ${currency}`, 'GIFT_CARD_LIMIT_EXCEEDED'))
  }
  const problem = (await problemOfPeople(api, input)) ?? problemOfCode(input.code)
  if (problem) return refused(problem)
  const code = input.code ?? newCode()
  const card = { ...fieldsFrom(api, input, EMPTY), code, currency, amountMinor }
  const giftCard = await api.write((q, now) => insertGiftCard(q, api.shop.storeId, card, now))
  if (!giftCard) return refused(userError(['input', 'code'], 'Code has already been taken'))
  return { giftCard, giftCardCode: giftCard.code, userErrors: [] }
}

function problemOfCode(code: string | null | undefined): UserError | null {
  if (code == null) return null
  const field = ['input', 'code']
  const { least, most } = CODE_LENGTH
  if (code.length < least) return userError(field, `Code must be at least ${least} characters long`, 'TOO_SHORT')
  if (code.length > most) return userError(field, `Code must be at most ${most} characters long`, 'TOO_LONG')
  if (/^[a-z0-9]+$/i.test(code)) return null
  return userError(field, 'Code can only contain letters(a-z) and numbers(0-9)', 'INVALID')
}

const newCode = (): string =>
  Array.from({ length: CODE_LENGTH.ours }, () => CODE_ALPHABET[randomInt(CODE_ALPHABET.length)]).join('')

/** What cannot change on a card that is deactivated, in the order in which the platform looks. */
const FROZEN = ['expiresOn', 'customerId', 'recipientAttributes'] as const

async function update(_root: unknown, { id, input }: { id: string; input: UpdateInput }, api: Api) {
  const refused = (problem: UserError) => ({ giftCard: null, userErrors: [problem] })
  refuseLongTexts(input.recipientAttributes)
  if (Object.keys(input).length === 0) {
    return refused(userError(['input'], 'At least one argument is required in the input.'))
  }
  const card = await findCard(api, id)
  if (!card) return refused(noCard())
  const frozen = card.deactivatedAt && FROZEN.find((field) => input[field] !== undefined)
  if (frozen) return refused(userError(['input', frozen], 'The gift card is deactivated.'))
  const problem = await problemOfPeople(api, input)
  if (problem) return refused(problem)
  const to = fieldsFrom(api, input, card)
  const isSame = (Object.keys(EMPTY) as (keyof GiftCardFields)[]).every(
    (field) => JSON.stringify(to[field]) === JSON.stringify(card[field])
  )
  if (!isSame) await api.write((q, now) => updateGiftCard(q, api.shop.storeId, card.id, to, now))
  return { giftCard: await api.load.giftCard.get(card.id), userErrors: [] }
}

async function deactivate(_root: unknown, { id }: { id: string }, api: Api) {
  const card = await findCard(api, id)
  if (!card) return { giftCard: null, userErrors: [noCard('GIFT_CARD_NOT_FOUND')] }
  await api.write((q, now) => deactivateGiftCard(q, api.shop.storeId, card.id, now))
  return { giftCard: await api.load.giftCard.get(card.id), userErrors: [] }
}

type MoveInput = { note?: string | null; processedAt?: Temporal.Instant | null }

/** Credits or debits a card. */
function move(kind: 'credit' | 'debit'): Resolver {
  const [argument, amountField] = [`${kind}Input`, `${kind}Amount`]
  const answer = kind === 'credit' ? 'giftCardCreditTransaction' : 'giftCardDebitTransaction'
  return async (_root: unknown, args: Record<string, unknown>, api: Api) => {
    const input = args[argument] as MoveInput & Record<string, MoneyInput>
    const money = input[amountField]!
    const at = (...path: string[]) => [argument, amountField, ...path]
    const refused = (problem: UserError) => ({ [answer]: null, userErrors: [problem] })
    const card = await findCard(api, args.id as string)
    if (!card) return refused(noCard('GIFT_CARD_NOT_FOUND'))
    const amountMinor = amountFrom(money.amount, money.currencyCode)
    if (amountMinor === null || amountMinor <= 0) {
      return refused(userError(at('amount'), 'A positive amount must be used.', 'NEGATIVE_OR_ZERO_AMOUNT'))
    }
    if (money.currencyCode !== card.currency) {
      const other = 'The currency provided does not match the currency of the gift card.'
      return refused(userError(at('currencyCode'), other, 'MISMATCHING_CURRENCY'))
    }
    const now = await api.now()
    if (card.deactivatedAt) return refused(userError(['id'], 'The gift card is deactivated.', 'INVALID'))
    if (isExpired(card, now, api)) return refused(userError(['id'], 'The gift card has expired.', 'INVALID'))
    const processedAt = input.processedAt ?? now
    if (Temporal.Instant.compare(processedAt, now) > 0) {
      return refused(userError([argument, 'processedAt'], 'A valid processed date must be used.', 'INVALID'))
    }
    if (kind === 'credit' && card.balanceMinor + amountMinor > amountFrom(ISSUE_LIMIT, card.currency)!) {
      const limit = "The gift card's value exceeds the allowed limits."
      return refused(userError(at('amount'), limit, 'GIFT_CARD_LIMIT_EXCEEDED'))
    }
    const signed = kind === 'credit' ? amountMinor : -amountMinor
    const entry = { giftCardId: card.id, amountMinor: signed, note: input.note ?? null, processedAt }
    const transaction = await api.write((q, at) => moveGiftCard(q, api.shop.storeId, entry, at))
    if (transaction) return { [answer]: transaction, userErrors: [] }
    const short = 'The gift card does not have sufficient funds to satisfy the request.'
    return refused(userError(at('amount'), short, 'INSUFFICIENT_FUNDS'))
  }
}

/** Tells somebody about a card. The platform's own mail is not made here: it only refuses what the platform refuses. */
function notify(who: 'customer' | 'recipient'): Resolver {
  return async (_root: unknown, { id }: { id: string }, api: Api) => {
    const refused = (problem: UserError) => ({ giftCard: null, userErrors: [problem] })
    const card = await findCard(api, id)
    if (!card) return refused(noCard('GIFT_CARD_NOT_FOUND'))
    if (card.deactivatedAt) return refused(userError(['id'], 'The gift card is deactivated.', 'INVALID'))
    if (isExpired(card, await api.now(), api))
      return refused(userError(['id'], 'The gift card has expired.', 'INVALID'))
    const customerId = who === 'customer' ? card.customerId : (card.recipient?.customerId ?? null)
    const customer = customerId && (await api.load.customer.get(customerId))
    if (!customer) return refused(userError(null, `The gift card has no ${who}.`, 'INVALID'))
    if (!customer.email && !customer.phone) {
      const unreachable = `The ${who} has no contact information (e.g. email address or phone number).`
      return refused(userError(null, unreachable, 'INVALID'))
    }
    return { giftCard: card, userErrors: [] }
  }
}

const isExpired = ({ expiresOn }: GiftCard, now: Temporal.Instant, { shop }: Api): boolean =>
  expiresOn !== null && expiresOn < now.toZonedDateTimeISO(shop.timezone).toPlainDate().toString()

const cardOf = ({ giftCardId }: GiftCardTransaction, _args: unknown, api: Api) => api.load.giftCard.get(giftCardId)

const transactionFields = {
  giftCard: cardOf,
  amount: async (found: GiftCardTransaction, args: unknown, api: Api) =>
    moneyV2(found.amountMinor, (await cardOf(found, args, api))!.currency),
  metafield: () => null,
  metafields: (_found: GiftCardTransaction, args: PageArgs) => pageOf<{ id: string }>([], args)
}

export const giftCardResolvers: Resolvers = {
  QueryRoot: {
    giftCard: (_root: unknown, { id }: { id: string }, api: Api) =>
      api.load.giftCard.get(numberIn(api.shop, 'GiftCard', id)),
    giftCards: (_root: unknown, args: PageArgs & { sortKey?: string; query?: string }, api: Api) =>
      pageOfGiftCards(api.db.direct, api.shop.storeId, args, (ids) => api.load.giftCard.list(ids)),
    giftCardsCount: async (_root: unknown, { limit }: { limit?: number | null }, api: Api) => {
      const most = limit ?? 10_000
      const { count } = await api.db.direct.one(
        row({ count: int }),
        sql`select count(*) as count from sandbox.gift_cards where store_id = ${api.shop.storeId}`
      )
      return { count: Math.min(count, most), precision: count > most ? 'AT_LEAST' : 'EXACT' }
    },
    giftCardConfiguration: (_root: unknown, _args: unknown, { shop: { currency } }: Api) => ({
      issueLimit: moneyV2(amountFrom(ISSUE_LIMIT, currency)!, currency),
      purchaseLimit: moneyV2(amountFrom(PURCHASE_LIMIT, currency)!, currency)
    })
  },
  Mutation: {
    giftCardCreate: create,
    giftCardUpdate: update,
    giftCardDeactivate: deactivate,
    giftCardCredit: move('credit'),
    giftCardDebit: move('debit'),
    giftCardSendNotificationToCustomer: notify('customer'),
    giftCardSendNotificationToRecipient: notify('recipient')
  },
  GiftCard: {
    balance: ({ balanceMinor, currency }: GiftCard) => moneyV2(balanceMinor, currency),
    initialValue: ({ initialMinor, currency }: GiftCard) => moneyV2(initialMinor, currency),
    customer: ({ customerId }: GiftCard, _args: unknown, api: Api) => customerId && api.load.customer.get(customerId),
    enabled: ({ deactivatedAt }: GiftCard) => deactivatedAt === null,
    isRedeemable: async (card: GiftCard, _args: unknown, api: Api) =>
      card.deactivatedAt === null && card.balanceMinor > 0 && !isExpired(card, await api.now(), api),
    lastCharacters: ({ code }: GiftCard) => code.slice(-4),
    maskedCode: ({ code }: GiftCard) => `•••• •••• •••• ${code.slice(-4)}`,
    order: () => null,
    recipientAttributes: ({ recipient }: GiftCard) => recipient,
    transactions: async ({ id }: GiftCard, args: PageArgs, api: Api) =>
      pageOf(await listGiftCardTransactions(api.db.direct, api.shop.storeId, id), args)
  },
  GiftCardRecipient: {
    recipient: ({ customerId }: Recipient, _args: unknown, api: Api) => api.load.customer.get(customerId)
  },
  GiftCardCreditTransaction: transactionFields,
  GiftCardDebitTransaction: transactionFields
}
