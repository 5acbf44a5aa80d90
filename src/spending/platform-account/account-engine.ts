import { createLeasedFlights, type Engine, nextDueBy, type Patience, type Piece, portionsOf } from '#kit/engines'
import type { Ctx, Database } from '#kit/postgres'
import type { Vault } from '#kit/secrets'
import { retrySeconds } from '#kit/walks'
import { recordReports } from '#orders'
import type { Connector } from '#platform'
import { storeContext } from '#stores'
import { listWays } from '../ways.ts'
import { awaitOrder, dueAgain, endOfTry } from './account-ends.ts'
import {
  type ClaimedAccount,
  claimAccounts,
  dueAccounts,
  endAccounts,
  extendAccountLeases,
  listAccountOwners,
  lockClaimedAccounts,
  nextAccount,
  releaseAccounts
} from './account-queries.ts'
import { type Missing, type Next, recordReads } from './compare-accounts.ts'
import { openCode } from './gift-card-codes.ts'
import { listGiftCards } from './gift-card-queries.ts'
import type { Planning } from './plan-changes.ts'
import { endPushes } from './push-queries.ts'
import { type Named, type ReadAccount, readAccounts } from './read-accounts.ts'
import { recordSent } from './record-sent.ts'
import { type Sent, send } from './send-changes.ts'
import { listOrderIds } from './transaction-queries.ts'

const LEASE_MS = 120_000
/** Read by one document. */
const READ_AT_ONCE = 20
/** Accounts of a store that are read or changed at once. */
const MAX_AT_ONCE = 60

type ReadOrders = {
  step: 'orders'
  missing: Missing
  read: Awaited<ReturnType<Connector['orders']['findWhole']>>
}
type Ended = ReadOrders | ReadAccount | Sent

type Deps = {
  db: Database
  vault: Vault
  leaseOwner: number
  connectorOf: (storeId: number) => Promise<Connector>
  /** No call of the platform takes longer. */
  maxCallMs: number
  patience?: Patience
  /** How long a lease lasts in real time when it is not extended; two minutes when left out. */
  leaseMs?: number
}

/**
 * Keeps the platform's own accounts of store credit, and gift cards, at what their customers can spend. A due customer is leased and read
 * with the transactions that are not known yet; what others did there is done in the ledger first. Then the difference is recorded as a
 * push, committed, and sent. The platform takes no idempotency key, so a push whose answer is lost is looked for among the transactions:
 * it is given up, and the difference counted anew, only when its call has surely ended without it.
 */
export function createAccountEngine({
  db,
  vault,
  leaseOwner,
  connectorOf,
  maxCallMs,
  patience,
  leaseMs = LEASE_MS
}: Deps): Engine {
  const lease = { leaseOwner, leaseMs }
  const flights = createLeasedFlights<ClaimedAccount, Ended[]>({
    leaseMs,
    patience,
    extend: (storeId, accounts) => db.inStore(storeId, (ctx) => extendAccountLeases(ctx, accounts, lease)),
    record: async (storeId, pieces) => {
      const ended = pieces.flatMap(({ end }) => (end.status === 'fulfilled' ? end.value : []))
      const from = performance.now()
      // What could not be sent any more would be recorded for nothing.
      const planning = { vault, from, maxCallMs, maySend: !flights.isEnding(storeId) }
      const next = await db.inStore(storeId, (ctx) => recordEnded(ctx, ended, planning))
      if (next.changes.length > 0 || next.missing.length > 0) {
        if (flights.isEnding(storeId)) await db.inStore(storeId, (ctx) => giveBack(ctx, next))
        else flights.goOn(storeId, await piecesOf(storeId, next))
      }
      // A piece that threw has nothing to record: its accounts are claimed again when their leases are over.
      return pieces.map(() => ({ status: 'fulfilled' as const, value: null }))
    }
  })

  const piecesOf = async (storeId: number, { changes, missing }: Next): Promise<Piece<ClaimedAccount, Ended[]>[]> => {
    const connector = await connectorOf(storeId)
    return [
      ...changes.map((change) => ({
        things: [change.account],
        work: async () => [await send(connector, change)]
      })),
      ...missing.map((one) => ({
        things: [one.account],
        work: async (): Promise<Ended[]> => [
          { step: 'orders', missing: one, read: await connector.orders.findWhole(one.orderIds) }
        ]
      }))
    ]
  }

  const begin = (storeId: number, limit: number, isSlow: boolean): Promise<number> =>
    flights.claim(storeId, async (except) => {
      const connector = await connectorOf(storeId)
      const { named, currency } = await db.inStore(storeId, async (ctx) => {
        const claimed = await claimAccounts(ctx, { ...lease, limit, except })
        const { currency } = await storeContext(ctx)
        return { currency, named: await nameAccounts(ctx, vault, claimed) }
      })
      return [...Map.groupBy(named, ({ account }) => account.isCheck)].flatMap(([isCheck, same]) =>
        // While a call of the store hangs, one that hangs besides keeps only its own account.
        portionsOf(same, isSlow ? 1 : READ_AT_ONCE).map((portion) => ({
          things: portion.map(({ account }) => account),
          work: () => readAccounts(connector, portion, currency, isCheck ? 'low' : 'normal')
        }))
      )
    })

  return {
    name: 'credit-accounts',
    stage: 'others',
    releaseLeases: releaseAccounts,
    needsPlatform: true,
    restsAfterRestore: true,
    due: dueAccounts,
    ...nextDueBy(db, nextAccount),
    async runOnce(storeId) {
      const limit = Math.min(READ_AT_ONCE, flights.free(storeId, MAX_AT_ONCE))
      const claimed = limit > 0 ? await begin(storeId, limit, flights.load(storeId).slow > 0) : 0
      const ended = await flights.record(storeId)
      return claimed || flights.load(storeId).underWay || ended
    },
    endUnderWay: flights.endUnderWay,
    letGo: flights.letGo,
    keptLong: flights.keptLong
  }
}

/** Whose the accounts are, and which gift cards they have. */
async function nameAccounts(ctx: Ctx, vault: Vault, claimed: ClaimedAccount[]): Promise<Named[]> {
  const memberIds = claimed.map(({ memberId }) => memberId)
  const owners = await listAccountOwners(ctx, memberIds)
  const ways = await listWays(ctx, memberIds)
  const cards = Map.groupBy(await listGiftCards(ctx, memberIds), ({ memberId }) => memberId)
  return claimed.map((account) => {
    const way = ways.get(account.memberId) ?? null
    const ofMember = (cards.get(account.memberId) ?? []).map((card) => {
      const isSought = card.platformId === null && card.askedMinor !== null && card.code !== null
      return { ...card, openCode: isSought ? openCode(vault, ctx.storeId, { ...card, code: card.code! }) : null }
    })
    const readsAccount = account.hasAccount || way !== 'giftcard'
    return { account, ...owners.get(account.memberId)!, way, readsAccount, cards: ofMember }
  })
}

const accountOf = (one: Ended): ClaimedAccount =>
  (one.step === 'read' ? one.named : one.step === 'orders' ? one.missing : one.change).account

/** Records in one transaction what reads and changes came to. Returns what is to be sent or read next. */
async function recordEnded(ctx: Ctx, ended: Ended[], planning: Planning): Promise<Next> {
  const ofOrders = ended.filter((one) => one.step === 'orders')
  await recordOrders(ctx, ofOrders)
  const known = await listOrderIds(
    ctx,
    ofOrders.flatMap(({ missing }) => missing.orderIds)
  )
  const locked = await lockClaimedAccounts(ctx, ended.map(accountOf))
  await recordSent(
    ctx,
    ended.filter((one) => one.step === 'push' || one.step === 'asked'),
    locked
  )
  await endAccounts(
    ctx,
    ofOrders
      .filter(({ missing }) => locked.has(missing.account.memberId))
      .map(({ missing: { account, version, orderIds }, read }) => {
        if (!read.ok) return endOfTry(account, version, read.failure.message)
        if (orderIds.every((id) => known.has(id))) return dueAgain(account, version)
        const until = ctx.now.add({ seconds: retrySeconds(account.attempts) })
        const error = 'The platform does not show an order that moved credit'
        return { ...awaitOrder(account, version, until, error), attempts: account.attempts + 1 }
      })
  )
  return recordReads(
    ctx,
    ended.filter((one) => one.step === 'read'),
    locked,
    planning
  )
}

/** Orders come before accounts in the order of locks. */
async function recordOrders(ctx: Ctx, ended: ReadOrders[]): Promise<void> {
  const orders = ended.flatMap(({ read }) => (read.ok ? [...read.value.values()] : []))
  const others = { refunds: [], transactions: [], disputes: [] }
  if (orders.length > 0) await recordReports(ctx, { ...others, orders }, 'platform')
}

/** Changes that may not be sent any more: nothing is on its way, and the accounts are due at once for whoever comes next. */
async function giveBack(ctx: Ctx, { changes, missing }: Next): Promise<void> {
  const locked = await lockClaimedAccounts(
    ctx,
    [...changes, ...missing].map(({ account }) => account)
  )
  const mine = changes.filter(({ account }) => locked.has(account.memberId))
  await endPushes(
    ctx,
    mine.flatMap((change) => (change.what === 'push' ? [change.pushId] : [])),
    'refused'
  )
  await endAccounts(
    ctx,
    [...mine, ...missing].map(({ account, version }) => dueAgain(account, version))
  )
}
