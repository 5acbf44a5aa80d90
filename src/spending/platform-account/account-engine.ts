import { listAvailableCredit } from '#credits'
import { createLeasedFlights, type Engine, nextDueBy, type Patience, type Piece } from '#kit/engines'
import type { Ctx, Database } from '#kit/postgres'
import { recordReports } from '#orders'
import type {
  Connector,
  PlatformCreditAccount,
  PlatformCreditMove,
  PlatformCreditTransaction,
  PlatformFailure,
  PlatformResult
} from '#platform'
import { storeContext } from '#stores'
import { listWays } from '../ways.ts'
import {
  type AccountEnd,
  type ClaimedAccount,
  claimAccounts,
  closeAccounts,
  dueAccounts,
  endAccounts,
  endPushes,
  extendAccountLeases,
  insertPushes,
  type JudgedTransaction,
  type LockedAccount,
  listAccountOwners,
  listKnownTransactions,
  listOrderIds,
  listPushes,
  lockClaimedAccounts,
  nextAccount,
  recordTransactions,
  releaseAccounts
} from './account-queries.ts'
import { applyTransactions } from './apply-transactions.ts'
import { judgeTransactions } from './judge-transactions.ts'

const LEASE_MS = 120_000
/** Read by one document. */
const READ_AT_ONCE = 20
/** Accounts of a store that are read or changed at once. */
const MAX_AT_ONCE = 60
/** In real time, after each try in a row that came to nothing. */
const RETRY_AFTER_SECONDS = [5, 30, 120, 600, 3600] as const
/** An order that the platform's account names and that nobody has reported after so many tries is left out: a few hours. */
const TRIES_FOR_ORDER = 6
/** Pages of transactions that are read of an account at most. */
const MAX_PAGES = 200
const MAX_TEXT = 500

type Named = { account: ClaimedAccount; platformId: string; isDeleted: boolean }
type Found = { account: PlatformCreditAccount | null }
type Change = Named & { version: number; pushId: number; amountMinor: number; currency: string; endBy: number }
/** Orders that an account names, and that nobody has reported yet. */
type Missing = Named & { version: number; orderIds: string[] }
type Next = { changes: Change[]; missing: Missing[] }
type Ended =
  | { step: 'orders'; missing: Missing; read: Awaited<ReturnType<Connector['orders']['findWhole']>> }
  | { step: 'read'; named: Named; found: PlatformResult<Found | null> }
  | { step: 'push'; change: Change; moved: PlatformResult<PlatformCreditMove> }

type Deps = {
  db: Database
  leaseOwner: number
  connectorOf: (storeId: number) => Promise<Connector>
  /** No call of the platform takes longer. */
  maxCallMs: number
  patience?: Patience
  /** How long a lease lasts in real time when it is not extended; two minutes when left out. */
  leaseMs?: number
}

/**
 * Keeps the platform's own accounts of store credit at what their customers can spend. A due account is leased and read with the
 * transactions that are not known yet; what others did there is done in the ledger first. Then the difference is recorded as a push,
 * committed, and sent. The platform takes no idempotency key, so a push whose answer is lost is looked for among the transactions:
 * it is given up, and the difference counted anew, only when its call has surely ended without it.
 */
export function createAccountEngine({
  db,
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
      const next = await db.inStore(storeId, (ctx) => recordEnded(ctx, ended, { from, maxCallMs }))
      if (next.changes.length > 0 || next.missing.length > 0) {
        if (flights.isEnding(storeId)) await db.inStore(storeId, (ctx) => giveBack(ctx, next))
        else flights.goOn(storeId, await piecesOf(storeId, next))
      }
      // A piece that threw has nothing to record: its accounts are claimed again when their leases are over.
      return pieces.map(() => ({ status: 'fulfilled' as const, value: null }))
    }
  })

  const piecesOf = async (storeId: number, { changes, missing }: Next): Promise<Piece<ClaimedAccount, Ended[]>[]> => {
    const { storeCredit, orders } = await connectorOf(storeId)
    return [
      ...changes.map((change) => ({
        things: [change.account],
        work: async () => [await push(storeCredit, change)]
      })),
      ...missing.map((one) => ({
        things: [one.account],
        work: async (): Promise<Ended[]> => [
          { step: 'orders', missing: one, read: await orders.findWhole(one.orderIds) }
        ]
      }))
    ]
  }

  const begin = (storeId: number, limit: number, isSlow: boolean): Promise<number> =>
    flights.claim(storeId, async (except) => {
      const { storeCredit } = await connectorOf(storeId)
      const { named, currency } = await db.inStore(storeId, async (ctx) => {
        const claimed = await claimAccounts(ctx, { ...lease, limit, except })
        const owners = await listAccountOwners(
          ctx,
          claimed.map(({ memberId }) => memberId)
        )
        const { currency } = await storeContext(ctx)
        return { currency, named: claimed.map((account) => ({ account, ...owners.get(account.memberId)! })) }
      })
      return [...Map.groupBy(named, ({ account }) => account.isCheck)].flatMap(([isCheck, same]) =>
        // While a call of the store hangs, one that hangs besides keeps only its own account.
        portionsOf(same, isSlow ? 1 : READ_AT_ONCE).map((portion) => ({
          things: portion.map(({ account }) => account),
          work: () => readAccounts(storeCredit, portion, currency, isCheck ? 'low' : 'normal')
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

async function readAccounts(
  storeCredit: Connector['storeCredit'],
  portion: Named[],
  currency: string,
  priority: 'normal' | 'low'
): Promise<Ended[]> {
  const ids = portion.filter(({ isDeleted }) => !isDeleted).map(({ platformId }) => platformId)
  const found: Awaited<ReturnType<typeof storeCredit.findMany>> =
    ids.length === 0 ? succeeded(new Map()) : await storeCredit.findMany(ids, currency, priority)
  return Promise.all(
    portion.map(async (named): Promise<Ended> => {
      if (!found.ok) return { step: 'read', named, found }
      if (!found.value.has(named.platformId)) return { step: 'read', named, found: succeeded(null) }
      const account = found.value.get(named.platformId) ?? null
      const whole = account && (await withEarlier(storeCredit, account, named.account.lastKey, currency))
      if (whole && !whole.ok) return { step: 'read', named, found: whole }
      return { step: 'read', named, found: succeeded({ account: whole?.value ?? null }) }
    })
  )
}

/** Reads on until a transaction that is known. */
async function withEarlier(
  storeCredit: Connector['storeCredit'],
  account: PlatformCreditAccount,
  lastKey: string | null,
  currency: string
): Promise<PlatformResult<PlatformCreditAccount>> {
  const transactions = [...account.transactions]
  let { after } = account
  for (let page = 0; after !== null && page < MAX_PAGES; page++) {
    if (transactions.some(({ key }) => key === lastKey)) break
    const earlier = await storeCredit.listTransactions(account.id, currency, after)
    if (!earlier.ok) return earlier
    transactions.push(...earlier.value.items)
    after = earlier.value.after
  }
  return succeeded({ ...account, transactions, after })
}

async function push(storeCredit: Connector['storeCredit'], change: Change): Promise<Ended> {
  const { platformId, amountMinor, currency, endBy } = change
  const moved =
    amountMinor > 0
      ? await storeCredit.credit(platformId, amountMinor, currency, { endBy })
      : await storeCredit.debit(platformId, -amountMinor, currency, { endBy })
  return { step: 'push', change, moved }
}

type Times = { from: number; maxCallMs: number }
/** A call that begins now ends within this; what the platform still does with it, somewhat later. */
const endMs = (maxCallMs: number) => maxCallMs * 1.25
const settleMs = (maxCallMs: number) => Math.ceil(maxCallMs * 1.5)

const accountOf = (one: Ended): ClaimedAccount =>
  (one.step === 'read' ? one.named : one.step === 'push' ? one.change : one.missing).account

/** Records in one transaction what reads and pushes came to. Returns what is to be sent or read next. */
async function recordEnded(ctx: Ctx, ended: Ended[], times: Times): Promise<Next> {
  await recordOrders(ctx, ended)
  const accounts = ended.map(accountOf)
  const locked = await lockClaimedAccounts(ctx, accounts)
  await recordPushes(
    ctx,
    ended.filter((one) => one.step === 'push'),
    locked
  )
  await endAccounts(
    ctx,
    ended
      .filter((one) => one.step === 'orders')
      .filter(({ missing }) => locked.has(missing.account.memberId))
      .map(({ missing: { account, version, orderIds }, read }) => {
        const isRead = read.ok && orderIds.every((id) => read.value.has(id))
        const error = read.ok ? 'The platform does not show an order that moved credit' : read.failure.message
        const tried = endOfTry(account, version, error)
        return isRead ? { ...tried, restMs: 0, error: null } : tried
      })
  )
  return recordReads(
    ctx,
    ended.filter((one) => one.step === 'read'),
    locked,
    times
  )
}

/** Orders come before accounts in the order of locks. */
async function recordOrders(ctx: Ctx, ended: Ended[]): Promise<void> {
  const orders = ended.flatMap((one) => (one.step === 'orders' && one.read.ok ? [...one.read.value.values()] : []))
  const others = { refunds: [], transactions: [], disputes: [] }
  if (orders.length > 0) await recordReports(ctx, { ...others, orders }, 'platform')
}

async function recordPushes(ctx: Ctx, ended: Extract<Ended, { step: 'push' }>[], locked: Map<number, LockedAccount>) {
  const mine = ended.filter(({ change }) => locked.has(change.account.memberId))
  const arrived = mine.flatMap(({ change, moved }) => (moved.ok ? [{ change, move: moved.value }] : []))
  const known = await listKnownTransactions(
    ctx,
    arrived.map(({ move }) => move.key)
  )
  const fresh = arrived.filter(({ move }) => !known.has(move.key))
  const isAlone = ({ change, move }: (typeof arrived)[number]) =>
    move.balanceAfterMinor === locked.get(change.account.memberId)!.mirroredMinor + change.amountMinor
  await recordTransactions(
    ctx,
    fresh.map(({ change, move }): JudgedTransaction => {
      const { amountMinor, pushId, account } = change
      const common = { event: 'adjustment', isExpiry: false, orderId: null, orderTransactionId: null }
      const transaction = { ...common, key: move.key, amountMinor, createdAt: ctx.now }
      return { transaction, kind: 'ours', pushId, memberId: account.memberId, orderId: null }
    }),
    fresh.map((one) => ({
      memberId: one.change.account.memberId,
      accountId: one.move.accountId,
      addedMinor: one.change.amountMinor,
      // What others did in between is not known yet and comes before it.
      lastKey: isAlone(one) ? one.move.key : null
    }))
  )
  await endPushes(
    ctx,
    arrived.map(({ change }) => change.pushId),
    'done'
  )
  const failures = mine.flatMap(({ change, moved }) => (moved.ok ? [] : [{ change, failure: moved.failure }]))
  await endPushes(
    ctx,
    failures.flatMap(({ change, failure }) => (failure.outcomeUnknown ? [] : [change.pushId])),
    'refused'
  )
  await endAccounts(ctx, [
    ...arrived.map((one) => {
      const { account, version } = one.change
      return isAlone(one) ? settled(account, version) : { ...settled(account, version), restMs: 0 }
    }),
    ...failures.map(({ change: { account, version }, failure }) => {
      // Whether it has arrived is read at once: it may be found.
      if (failure.outcomeUnknown) return { ...settled(account, version), restMs: 0, attempts: account.attempts }
      // Somebody has spent it just now.
      if (failure.code === 'insufficient_funds') return endOfTry(account, version, failure.message)
      return endOfFailure(account, version, failure)
    })
  ])
}

type Readable = { named: Named; locked: LockedAccount; account: PlatformCreditAccount | null }

async function recordReads(
  ctx: Ctx,
  ended: Extract<Ended, { step: 'read' }>[],
  locked: Map<number, LockedAccount>,
  times: Times
): Promise<Next> {
  const ends: AccountEnd[] = []
  const gone: number[] = []
  const readable: Readable[] = []
  for (const { named, found } of ended) {
    const { account, isDeleted } = named
    const state = locked.get(account.memberId)
    if (!state) continue
    if (!found.ok) ends.push(endOfFailure(account, state.version, found.failure))
    else if (found.value) readable.push({ named, locked: state, account: found.value.account })
    else if (isDeleted) {
      gone.push(account.memberId)
      ends.push(settled(account, state.version))
    } else {
      const problem = `The platform does not show the customer ${named.platformId}`
      ends.push({ ...settled(account, state.version), problem })
    }
  }
  await closeAccounts(ctx, gone)
  const { ends: compared, ...next } = await compare(ctx, readable, times)
  await endAccounts(ctx, [...ends, ...compared])
  return next
}

/** Applies what is new in accounts that were read, and records what is to be sent. */
async function compare(ctx: Ctx, readable: Readable[], times: Times): Promise<Next & { ends: AccountEnd[] }> {
  if (readable.length === 0) return { changes: [], missing: [], ends: [] }
  const memberIds = readable.map(({ named }) => named.account.memberId)
  const all = readable.flatMap(({ account }) => account?.transactions ?? [])
  const known = await listKnownTransactions(
    ctx,
    all.map(({ key }) => key)
  )
  const fresh = all.filter(({ key }) => !known.has(key))
  const orders = await listOrderIds(
    ctx,
    fresh.flatMap(({ orderId }) => orderId ?? [])
  )
  const pushes = Map.groupBy(await listPushes(ctx, memberIds), ({ memberId }) => memberId)

  const ends: AccountEnd[] = []
  const added: Parameters<typeof recordTransactions>[2] = []
  const judged: JudgedTransaction[] = []
  const unseen: number[] = []
  const missing: Missing[] = []
  const whole: Readable[] = []
  for (const one of readable) {
    const { named, locked, account } = one
    const { memberId } = named.account
    const news = (account?.transactions ?? []).filter(({ key }) => !known.has(key)).reverse()
    const balanceMinor = account?.balanceMinor ?? 0
    if (locked.mirroredMinor + sumOf(news) !== balanceMinor) {
      ends.push(endOfTry(named.account, locked.version, 'The transactions of the account do not add up to its balance'))
      continue
    }
    const { taken, isWaiting } = upToUnknownOrder(news, orders, named.account.attempts >= TRIES_FOR_ORDER)
    const mine = pushes.get(memberId) ?? []
    const open = mine.find(({ isOpen }) => isOpen) ?? null
    const ofMine = judgeTransactions(taken, {
      open,
      unseen: mine.filter(({ isOpen }) => !isOpen),
      isRestored: locked.isRestored
    })
    judged.push(...ofMine.map((j) => ({ ...j, memberId, orderId: orders.get(j.transaction.orderId ?? '') ?? null })))
    const last = account?.transactions[0]
    if (account && (taken.length > 0 || !isWaiting)) {
      const lastKey = isWaiting ? taken.at(-1)!.key : (last?.key ?? null)
      added.push({ memberId, accountId: account.id, addedMinor: sumOf(taken), lastKey })
    }
    const isOpen = open !== null && !ofMine.some(({ pushId }) => pushId === open.id)
    const unknown = news.flatMap(({ orderId }) => (orderId !== null && !orders.has(orderId) ? [orderId] : []))
    if (isWaiting) missing.push({ ...named, version: locked.version, orderIds: [...new Set(unknown)].slice(0, 10) })
    else if (isOpen && !open.isSettled) ends.push(restUntilSettled(named.account, locked.version, times))
    else whole.push(one)
    if (isOpen && open.isSettled) unseen.push(open.id)
  }
  await endPushes(ctx, unseen, 'unseen')
  await endPushes(
    ctx,
    judged.flatMap(({ pushId }) => pushId ?? []),
    'done'
  )
  await recordTransactions(ctx, judged, added)
  await applyTransactions(ctx, judged)
  const { changes, same } = await planPushes(ctx, whole, times)
  return { changes, missing, ends: [...ends, ...same] }
}

/** Records what is to be sent of accounts that are known to their end: the difference to what their customers can spend. */
async function planPushes(ctx: Ctx, whole: Readable[], { from, maxCallMs }: Times) {
  const memberIds = whole.map(({ named }) => named.account.memberId)
  const { currency } = await storeContext(ctx)
  const ways = await listWays(ctx, memberIds)
  const available = await listAvailableCredit(ctx, memberIds)
  const differing = whole.map(({ named, locked, account }) => {
    const { memberId } = named.account
    const wanted = ways.get(memberId) === 'storecredit' ? (available.get(memberId) ?? 0) : 0
    return { named, version: locked.version, memberId, amountMinor: wanted - (account?.balanceMinor ?? 0) }
  })
  const toSend = differing.filter(({ amountMinor }) => amountMinor !== 0)
  const ids = await insertPushes(ctx, toSend, settleMs(maxCallMs))
  const changes = toSend.map(({ named, version, memberId, amountMinor }): Change => {
    return { ...named, version, amountMinor, currency, pushId: ids.get(memberId)!, endBy: from + endMs(maxCallMs) }
  })
  const same = differing.filter(({ amountMinor }) => amountMinor === 0)
  return { changes, same: same.map(({ named, version }) => settled(named.account, version)) }
}

const succeeded = <T>(value: T): PlatformResult<T> => ({ ok: true, value })

const sumOf = (transactions: PlatformCreditTransaction[]) =>
  transactions.reduce((sum, { amountMinor }) => sum + amountMinor, 0)

/** The transactions before the first one of an order that is not known here; all of them where it is not waited for any more. */
function upToUnknownOrder(news: PlatformCreditTransaction[], orders: Map<string, number>, isLate: boolean) {
  const end = isLate ? -1 : news.findIndex(({ orderId }) => orderId !== null && !orders.has(orderId))
  return { taken: end < 0 ? news : news.slice(0, end), isWaiting: end >= 0 }
}

const settled = (account: ClaimedAccount, version: number): AccountEnd => ({
  account,
  version,
  restMs: null,
  attempts: 0,
  error: null,
  problem: null
})

/** Until the open push has arrived, or cannot any more. */
const restUntilSettled = (account: ClaimedAccount, version: number, { maxCallMs }: Times): AccountEnd => ({
  ...settled(account, version),
  restMs: Math.ceil(Math.max(100, maxCallMs / 8)),
  attempts: account.attempts
})

function endOfTry(account: ClaimedAccount, version: number, error: string): AccountEnd {
  const seconds = RETRY_AFTER_SECONDS[Math.min(account.attempts, RETRY_AFTER_SECONDS.length - 1)]!
  return {
    ...settled(account, version),
    restMs: seconds * 1000,
    attempts: account.attempts + 1,
    error: storable(error)
  }
}

/** A refusal is not tried again by itself, everything else is. */
function endOfFailure(account: ClaimedAccount, version: number, failure: PlatformFailure): AccountEnd {
  if (failure.kind !== 'rejected') return endOfTry(account, version, failure.message)
  const problem = storable(`The platform refuses to change the account: ${failure.message}`)
  return { ...settled(account, version), problem }
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
    mine.map(({ pushId }) => pushId),
    'refused'
  )
  await endAccounts(
    ctx,
    [...mine, ...missing].map(({ account, version }) => ({
      ...settled(account, version),
      restMs: 0,
      attempts: account.attempts
    }))
  )
}

/** PostgreSQL does not accept NUL in text, and a message may quote what somebody typed. */
const storable = (text: string) => text.replaceAll('\0', '').slice(0, MAX_TEXT)

function portionsOf<T>(items: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))
}
