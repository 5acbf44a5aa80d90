import assert from 'node:assert/strict'
import fc from 'fast-check'
import { audit } from '#audit'
import { createFactEngines } from '#kit/outbox'
import { type Database, sql } from '#kit/postgres'
import {
  archiveRule,
  createRule,
  createTier,
  endCoupon,
  followLoyaltySettings,
  isLoyaltyOn,
  loyaltyConsumer,
  markCouponsDeleted,
  RuleCache,
  type RuleTypeName,
  redeemTemplate,
  reportEvent,
  updateRule,
  updateTier
} from '#loyalty'
import { orderEffectsConsumer } from '#order-effects'
import { type OrderReports, recordReports } from '#orders'
import { setClock, updateSettings } from '#stores'
import { createCouponEngine } from '../src/loyalty/coupons/coupon-engine.ts'
import { createLoyaltyTierEngine } from '../src/loyalty/customer-tiers/tier-engine.ts'
import { countDeeds } from '../src/loyalty/earning/count-deeds.ts'
import { loyaltySettings } from '../src/loyalty/settings.ts'
import { createOrderEffectsEngine } from '../src/order-effects/order-effects-engine.ts'
import { refreshOrders } from '../src/order-effects/refresh-orders.ts'
import { createPointsEngine } from '../src/points/points-engine.ts'
import { mergeCustomers } from '../src/sync/customers/merge-customers.ts'
import { webhooksConsumer } from '../src/webhooks/queue/queue-deliveries.ts'
import { enginesInTurn } from '../test/engines-in-turn.ts'
import { aStore } from '../test/store-builder.ts'
import { discountsInMemory } from './discounts-in-memory.ts'
import { beginStore, beginTemplates, CONTRACTS, notRefunded, orderIdOf, reportOf } from './loyalty-reports.ts'
import {
  EXAMPLES,
  KINDS,
  type Life,
  life,
  type NewOrder,
  PEOPLE,
  type Step,
  TEMPLATES,
  TIERS
} from './loyalty-steps.ts'
import { foundIn, listFailures, listFoundCoupons, modelled } from './loyalty-tables.ts'
import {
  aCoupon,
  ModelledLoyalty,
  type ModelledOrder,
  type ModelledRule,
  subtotalOf,
  type Terms
} from './modelled-loyalty.ts'
import { ModelledPoints, NEVER } from './modelled-points.ts'
import { dayAt, NO_TIER, type Review, START, yearOf } from './modelled-tiers.ts'

/** `shortensMs`: for so long after the first failure a shorter life that fails is looked for. */
export type LoyaltyTrial = { db: Database; sequences: number; seed: number; shortensMs?: number }
export type LoyaltyReport = {
  sequences: number
  steps: number
  awards: number
  coupons: number
  merges: number
  tiers: number
}

const AT_ONCE = 2
/** Memberships and their tags are no part of this. */
const CHECKS = /^(points|loyalty|coupon|credit)|^orders_taken_back$/
const NOTHING: OrderReports = { orders: [], refunds: [], transactions: [], disputes: [] }

/**
 * Random lives of a store with loyalty: orders, refunds, disputes and edits under a dozen rules that change, points that buy coupons, tiers that
 * customers reach and lose over years, and customers who are merged, against a model that knows the docs and no tables. After each step what
 * customers have must be what the model says: points, lots, progress, rewards, store credit, coupons, tiers, and the discounts of the platform.
 * In the end the auditor must have no findings. Throws otherwise, with the seed and a short life that fails.
 */
export async function compareLoyalty({
  db,
  sequences,
  seed,
  shortensMs = 15_000
}: LoyaltyTrial): Promise<LoyaltyReport> {
  const report: LoyaltyReport = { sequences, steps: 0, awards: 0, coupons: 0, merges: 0, tiers: 0 }
  let failedAt: number | null = null
  const lives = async (lane: number) => {
    const numRuns = Math.floor((sequences + lane) / AT_ONCE)
    if (numRuns === 0) return
    const lived = fc.asyncProperty(life, async (one) => {
      if (failedAt !== null && performance.now() - failedAt > shortensMs) return
      await live(db, one, report).catch((err) => {
        failedAt ??= performance.now()
        // What is broken otherwise fails as well.
        if (!(err instanceof assert.AssertionError)) throw err
        throw new Error(`Not as the model says: ${err.message}`, { cause: err })
      })
    })
    const examples = EXAMPLES[lane]!.map((one): [Life] => [one])
    await fc.assert(lived, { numRuns, seed: seed * AT_ONCE + lane, examples, endOnFailure: false })
  }
  await Promise.all(Array.from({ length: AT_ONCE }, (_, lane) => lives(lane)))
  return report
}

async function live(db: Database, { steps, ...settings }: Life, report: LoyaltyReport): Promise<void> {
  const store = await aStore(db, { clockAt: START, timezone: 'UTC' })
  const { storeId } = store
  const platform = discountsInMemory()
  const dispatch = enginesInTurn(createFactEngines({ db, consumers: [orderEffectsConsumer] }))
  const others = enginesInTurn(createFactEngines({ db, consumers: [loyaltyConsumer, webhooksConsumer] }))
  const pointsEngine = createPointsEngine({ db })
  const tierEngine = createLoyaltyTierEngine({ db })
  const orderEngine = createOrderEffectsEngine({ db })
  const couponEngine = createCouponEngine({
    ...{ db, leaseOwner: 1, maxCallMs: 60_000, connectorOf: async () => platform.connector },
    patience: { slowMs: 5, comeBackMs: 5 }
  })
  const platformIds = Array.from({ length: PEOPLE }, (_, i) => `${71 + i}`)
  const memberIds = await beginStore(store, platformIds, settings)
  const templateIds = await beginTemplates(store)
  const model = new ModelledLoyalty(
    platformIds.map((_, i) => ({
      ...{ points: new ModelledPoints(), credit: 0, coupons: [], isMember: i === 0, mergedInto: null },
      ...{ held: NO_TIER, rewardedTiers: new Set() }
    })),
    settings
  )
  const cache = new RuleCache()
  const requests = new Set<string>()
  /** Orders that were reported, and nothing has followed from it yet. */
  const reported = new Set<ModelledOrder>()
  let revision = 0
  for (const kind of KINDS.keys()) await createOne(kind)

  for (const step of steps) {
    report.steps++
    const mayWait = 'holds' in step && step.holds
    if (!('holds' in step) && reported.size > 0) await follow()
    platform.fate = 'fate' in step ? step.fate : 'made'
    await take(step)
    if (!mayWait) await follow()
    platform.fate = 'made'
    if (!mayWait) await compare()
  }
  await follow()
  await take({ kind: 'wait', days: 10 })
  await compare()
  await take({ kind: 'wait', days: 370 })
  await compare()
  report.awards += model.rules
    .flatMap(({ standings }) => [...standings.values()])
    .flatMap(({ awards }) => awards).length
  report.tiers += model.people.reduce((sum, { rewardedTiers }) => sum + rewardedTiers.size, 0)
  report.coupons += model.people.flatMap(({ coupons }) => coupons).length
  while (
    (await orderEngine.runOnce(storeId)) + (await dispatch.runOnce(storeId)) + (await others.runOnce(storeId)) >
    0
  );
  const { findings } = await store.inStore(audit)
  assert.deepEqual(
    findings.filter(({ check }) => CHECKS.test(check)),
    []
  )

  /** Brings everything to its end that was reported. */
  async function follow() {
    if (reported.size > 0) {
      while ((await dispatch.runOnce(storeId)) > 0);
      model.countOrders([...reported])
      reported.clear()
    }
    await placeAll()
    await makeCoupons()
  }

  /** Reviews, the walk after a change, and what follows from points that were earned. */
  async function placeAll() {
    while ((await others.runOnce(storeId)) + (await tierEngine.runOnce(storeId)) > 0);
    model.place()
  }

  async function makeCoupons() {
    while ((await couponEngine.runOnce(storeId)) > 0);
    if (platform.fate === 'lost') {
      // As if the time had passed for which coupons rest, and calls could arrive.
      await store.inStore((ctx) =>
        ctx.tx.run(sql`
          update loyalty_coupons set rests_until = null, settles_at = statement_timestamp() - interval '1 second'
           where store_id = ${ctx.storeId}`)
      )
      while ((await couponEngine.runOnce(storeId)) > 0);
    }
    model.expireCoupons()
    await nameCoupons()
  }

  /** Gives the new coupons of the model the codes of those that are there, each to one of the same origin. */
  async function nameCoupons() {
    const open = model.people.flatMap(({ coupons }) => coupons).filter(({ code }) => code === null)
    if (open.length === 0) return
    const named = new Set(model.people.flatMap(({ coupons }) => coupons).flatMap(({ code }) => code ?? []))
    const found = (await store.inStore(listFoundCoupons)).filter(({ code }) => !named.has(code))
    for (const [person, { coupons }] of model.people.entries()) {
      for (const coupon of coupons.filter(({ code }) => code === null)) {
        const at = found.findIndex(({ memberId, source }) => memberId === memberIds[person] && source === coupon.source)
        assert.ok(at >= 0, `a coupon of ${coupon.source} is missing`)
        coupon.code = found.splice(at, 1)[0]!.code
        if (platform.fate !== 'refused' || coupon.endedBy !== null) continue
        coupon.endedBy = 'refused'
        if (coupon.spent) model.people[person]!.points.restore(model.today, coupon.spent)
      }
    }
    assert.deepEqual(found, [], 'coupons that nobody was given')
  }

  async function take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'order':
        return place(step.order)
      case 'refund':
        return changeOrder(step.nth, (order) => {
          const minor = partOf(order, step.tenths)
          if (minor > 0) order.refunds.push(minor)
        })
      case 'dispute':
        return changeOrder(step.nth, (order) => {
          order.dispute ??= { type: step.type, status: '', minor: partOf(order, step.tenths) }
          order.dispute.status = step.status
        })
      case 'edit':
        return changeOrder(step.nth, (order) => {
          order.lines[0] = { ...step.line, contractId: order.lines[0]!.contractId }
        })
      case 'status':
        return changeOrder(step.nth, (order) => {
          if (step.status === 'cancelled') order.isCancelled = true
          else order.status = step.status
        })
      case 'give':
        return changeOrder(step.nth, (order) => {
          order.person = model.kept(step.who)
        })
      case 'repeat': {
        const { orders } = model
        await store.inStore(async (ctx) => refreshOrders(ctx, await Promise.all(orders.map((o) => orderIdOf(ctx, o)))))
        model.countOrders(orders)
        return
      }
      case 'consent': {
        const cause = { kind: 'consent' as const, channel: step.channel }
        const person = model.kept(step.who)
        const deed = {
          memberId: memberIds[person]!,
          cause,
          key: `consent:${step.channel}`,
          orderId: null,
          ruleId: null
        }
        await store.inStore((ctx) => countDeeds(ctx, [{ ...deed, at: ctx.now }]))
        model.countConsent(person, step.channel)
        return
      }
      case 'review': {
        const cause = { kind: 'review' as const, provider: 'Judge.me', isDeleted: step.isDeleted }
        const event = { customerId: memberIds[step.who]!, cause, eventKey: step.id }
        await store.inStore((ctx) => reportEvent(ctx, { ...event, at: ctx.now }))
        model.countReview(model.kept(step.who), step.id, step.isDeleted)
        return
      }
      case 'redeem':
        return redeem(step)
      case 'end-coupon':
        return endOne(step)
      case 'create-rule':
        return createOne(step.nth)
      case 'change-rule':
        return changeRule(step.nth, async (rule, kind) => {
          const { rules, reward: rewardRules } = kind.variants[step.variant % kind.variants.length]!
          await store.inStore((ctx) => updateRule(ctx, rule.id, { rules: named(rules), rewardRules }))
          const terms: Terms = { type: kind.type, rules: named(rules), reward: { ...rewardRules } }
          if (JSON.stringify(terms) !== JSON.stringify(rule.versions.at(-1))) rule.versions.push(terms)
        })
      case 'enable-rule':
        return changeRule(step.nth, async (rule) => {
          await store.inStore((ctx) => updateRule(ctx, rule.id, { isEnabled: step.isEnabled }))
          if (step.isEnabled && !rule.isEnabled) rule.countsFrom = model.today
          rule.isEnabled = step.isEnabled
        })
      case 'archive-rule':
        return changeRule(step.nth, async (rule) => {
          await store.inStore((ctx) => archiveRule(ctx, rule.id))
          rule.isArchived = true
        })
      case 'loyalty':
        await changeSettings({ enabled: step.isOn ? 'on' : 'off' })
        return model.set({ isOn: step.isOn })
      case 'tiers':
        await changeSettings({ tiers: step.isOn ? 'on' : 'off' })
        return model.set({ areTiersOn: step.isOn })
      case 'tier-review':
        await changeSettings({ tierReview: step.review })
        return model.set({ review: step.review })
      case 'begin-tiers':
        return beginTiers()
      case 'change-tier':
        return changeTier(step)
      case 'merge': {
        const [from, to] = [model.kept(step.from), model.kept(step.to)]
        if (from === to) return
        report.merges++
        await mergeCustomers(db, storeId, { keptId: platformIds[to]!, deletedId: platformIds[from]! }, null)
        model.merge(from, to)
        return
      }
      case 'wait':
        model.today += step.days
        await store.inStore((ctx) => setClock(ctx, dayAt(model.today)))
        while ((await pointsEngine.runOnce(storeId)) > 0);
        for (const { points } of model.people) points.open(model.today)
        return follow()
    }
  }

  async function createOne(nth: number) {
    const { type, variants } = KINDS[nth]!
    const { rules, reward: rewardRules } = variants[0]!
    const common = { name: type, description: '', isEnabled: true, startsOn: null, endsOn: null }
    const { id } = await store.inStore((ctx) =>
      createRule(ctx, type as RuleTypeName, { ...common, rules: named(rules), rewardRules })
    )
    const versions: Terms[] = [{ type, rules: named(rules), reward: { ...rewardRules } }]
    const now = { isEnabled: true, isArchived: false, countsFrom: model.today, standings: new Map() }
    model.rules.push({ id, kind: nth, versions, ...now })
  }

  /** Rules as they are entered: tiers by their ids. */
  function named(rules: object): Record<string, unknown> {
    const names = 'tier_ids' in rules ? (rules.tier_ids as string[]) : null
    const ids = model.tiers.flatMap(({ id, name }) => (names?.includes(name) ? id : []))
    return names === null ? { ...rules } : { ...rules, tier_ids: ids }
  }

  async function changeSettings(change: { enabled?: 'on' | 'off'; tiers?: 'on' | 'off'; tierReview?: Review }) {
    await store.inStore(async (ctx) => {
      const wasOn = await isLoyaltyOn(ctx)
      await updateSettings(ctx, loyaltySettings, change)
      await followLoyaltySettings(ctx, { wasOn })
    })
  }

  /** One tier after the other; with the first the orders of before are counted again. */
  async function beginTiers() {
    for (const { tier } of TIERS) {
      const { id } = await store.inStore((ctx) => createTier(ctx, { ...tier, description: '' }))
      const isFirst = model.tiers.length === 0
      model.tiers.push({ ...tier, id })
      if (isFirst) {
        while ((await orderEngine.runOnce(storeId)) > 0);
        model.countOrders(model.orders.filter(({ day }) => yearOf(day) >= yearOf(model.today) - 1))
      }
      model.place({ isAnew: true })
      await placeAll()
    }
  }

  async function changeTier({ nth, change: which }: Extract<Step, { kind: 'change-tier' }>) {
    const tier = model.tiers[nth]
    const { changes } = TIERS[nth]!
    const change = changes[which % changes.length]!
    if (!tier) return
    await store.inStore((ctx) => updateTier(ctx, tier.id, change))
    const before = JSON.stringify([tier.entryRules, tier.place, tier.isActive])
    Object.assign(tier, change)
    if (JSON.stringify([tier.entryRules, tier.place, tier.isActive]) !== before) model.place({ isAnew: true })
  }

  async function changeRule(nth: number, change: (rule: ModelledRule, kind: (typeof KINDS)[number]) => Promise<void>) {
    const there = model.rules.filter(({ isArchived }) => !isArchived)
    const rule = there[nth]
    if (rule) await change(rule, KINDS[rule.kind]!)
  }

  async function place({ who, daysAgo, lines, code, isPaid, renewal, ...given }: NewOrder) {
    const person = model.kept(who)
    const usable = model.people[person]!.coupons.filter(({ endedBy }) => endedBy === null)
    const used = code === null ? undefined : usable[code % Math.max(1, usable.length)]
    // Only the first customer has contracts.
    const renewed = person === model.kept(0) ? renewal : null
    const contractId = renewed && CONTRACTS[renewed]
    const order: ModelledOrder = {
      ...{ id: `${8000 + model.orders.length}`, person, day: Math.max(0, model.today - daysAgo) },
      lines: lines.map((line, i) => ({ ...line, contractId: i === 0 ? contractId : null })),
      ...{ shippingMinor: given.shippingMinor, taxMinor: 0, isTaxIncluded: given.isTaxIncluded, creditMinor: 0 },
      ...{ codes: used?.code ? [used.code] : [], status: isPaid ? 'paid' : 'pending', isCancelled: false },
      ...{ renewal: renewed, refunds: [], dispute: null }
    }
    order.taxMinor = Math.floor((subtotalOf(order) * given.taxPercent) / 100)
    order.creditMinor = Math.floor((subtotalOf(order) * given.creditTenths) / 10)
    if (used?.code) platform.use(used.code)
    model.orders.push(order)
    await reportOrder(order)
  }

  async function changeOrder(nth: number, change: (order: ModelledOrder) => void) {
    const order = model.orders.at(-1 - (nth % Math.max(1, model.orders.length)))
    if (!order) return
    change(order)
    await reportOrder(order)
  }

  async function reportOrder(order: ModelledOrder) {
    reported.add(order)
    const now = dayAt(model.today).add({ seconds: ++revision })
    const said = reportOf(order, platformIds[order.person]!, now)
    await store.inStore((ctx) => recordReports(ctx, { ...NOTHING, ...said }, 'platform'))
  }

  async function redeem({ who, template, requestId }: Extract<Step, { kind: 'redeem' }>) {
    const person = model.kept(who)
    const { points, coupons } = model.people[person]!
    const { requiredPoints, rules } = TEMPLATES[template]!
    const source = `template ${templateIds[template]}`
    const request = `${person} ${template} ${requestId}`
    const isUnused = (one: (typeof coupons)[number]) =>
      one.source === source && one.endedBy === null && one.uses === 0 && one.endsOn > model.today
    const isRepeated = requestId === null ? coupons.some(isUnused) : requests.has(request)
    const isPossible = model.isOn && points.balance >= requiredPoints
    const asked = { memberId: memberIds[who]!, templateId: templateIds[template]!, requestId }
    const redeemed = await store.inStore((ctx) => redeemTemplate(ctx, asked)).catch((err) => err as Error)
    assert.equal(redeemed instanceof Error, !isRepeated && !isPossible, `${redeemed}`)
    if (isRepeated || !isPossible) return
    requests.add(request)
    const days = 'expires_after_days' in rules ? rules.expires_after_days : null
    const spent = points.spend(model.today, requiredPoints)
    coupons.push(aCoupon(source, days === null ? NEVER : model.today + days, spent))
  }

  async function endOne({ nth, by }: Extract<Step, { kind: 'end-coupon' }>) {
    const open = model.people.flatMap(({ coupons }) => coupons).filter(({ endedBy }) => endedBy === null)
    const coupon = open[nth % Math.max(1, open.length)]
    if (!coupon) return
    const { id, discountId } = (await store.inStore(listFoundCoupons)).find(({ code }) => code === coupon.code)!
    if (by === 'operator') await store.inStore((ctx) => endCoupon(ctx, id))
    else {
      assert.ok(platform.remove(discountId!))
      await store.inStore((ctx) => markCouponsDeleted(ctx, [discountId!]))
    }
    coupon.endedBy = by === 'operator' ? 'revoked' : 'deleted'
  }

  async function compare() {
    assert.deepEqual(await store.inStore(listFailures), [], `day ${model.today}: facts that were not handled`)
    const there = memberIds.flatMap((memberId, person) =>
      model.people[person]!.mergedInto === null ? [{ memberId, person }] : []
    )
    const found = await store.inStore((ctx) =>
      foundIn(
        ctx,
        cache,
        there.map(({ memberId }) => memberId)
      )
    )
    for (const [i, { person }] of there.entries()) {
      assert.deepEqual(found[i], modelled(model, person), `day ${model.today}, customer ${person}`)
    }
    const taken = model.people
      .flatMap(({ coupons }) => coupons)
      .filter(({ endedBy }) => endedBy === null || endedBy === 'used' || endedBy === 'expired')
    assert.deepEqual([...platform.codes.keys()].sort(), taken.map(({ code }) => code).sort())
  }
}

const partOf = (order: ModelledOrder, tenths: number) => Math.ceil((notRefunded(order) * tenths) / 10)
