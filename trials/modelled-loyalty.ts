import { type Grant, type ModelledPoints, NEVER, type Spent } from './modelled-points.ts'
import { type Counted, type HeldTier, type ModelledTier, NO_TIER, placedIn, type Review } from './modelled-tiers.ts'

/** What a rule says, as an operator enters it. */
export type Terms = { type: string; rules: Record<string, unknown>; reward: Record<string, unknown> }

/** An order as the platform has it. Days are those of the life. */
export type ModelledOrder = {
  id: string
  person: number
  day: number
  lines: { productId: string; priceMinor: number; contractId: string | null }[]
  shippingMinor: number
  taxMinor: number
  isTaxIncluded: boolean
  creditMinor: number
  codes: string[]
  status: 'paid' | 'pending' | 'voided'
  isCancelled: boolean
  renewal: 'membership' | 'product' | null
  refunds: number[]
  dispute: { type: string; status: string; minor: number } | null
}

/** A coupon of a customer. */
export type ModelledCoupon = {
  /** Null until it is known. */
  code: string | null
  /** The rule, template or tier that it comes from. */
  source: string
  uses: number
  endedBy: string | null
  endsOn: number
  spent: Spent | null
}

type Award = {
  key: string
  goal: number
  points: number | null
  grant: Grant | null
  credit: number
  coupon: ModelledCoupon | null
}
/** `multiplier`: that of the tier of the time when it was counted first. */
type Count = { version: number; amount: number; order: ModelledOrder | null; multiplier: number }
/** What a rule has of a customer. */
export type Standing = { counts: Map<string, Count>; awards: Award[] }

export type ModelledRule = {
  id: number
  /** Which of the kinds of rules it is. */
  kind: number
  /** By version, from 1. */
  versions: Terms[]
  isEnabled: boolean
  isArchived: boolean
  /** Nothing of before counts: when it was created, enabled, or loyalty was on again. */
  countsFrom: number
  standings: Map<number, Standing>
}

export type ModelledPerson = {
  points: ModelledPoints
  credit: number
  coupons: ModelledCoupon[]
  isMember: boolean
  held: HeldTier
  /** The tiers that have given what they give on entering them. */
  rewardedTiers: Set<ModelledTier>
  /** Whoever the platform has merged them into. */
  mergedInto: number | null
}

type Deed = {
  person: number
  key: string
  day: number
  order: ModelledOrder | null
  /** How much a rule counts of it. */
  amountOf: (terms: Terms) => number
}

type Give = {
  key: string
  goal: number
  terms: Terms
  deed: Deed
  person: number
  points: number | null
  exact?: Grant['exact'] | undefined
  isShared: boolean
}

/** A new coupon. */
export const aCoupon = (source: string, endsOn: number, spent: Spent | null = null): ModelledCoupon => ({
  ...{ code: null, source, uses: 0, endedBy: null, endsOn, spent }
})

export type Settings = { holdDays: number; pointsDays: number | null; couponDays: number | null; review: Review }

/** How much of an order is taken back, of how much. */
function takenBack(order: ModelledOrder) {
  const refunded = order.refunds.reduce((sum, minor) => sum + minor, 0)
  const { dispute } = order
  const isLost = dispute !== null && ['lost', 'accepted'].includes(dispute.status)
  const isOpen =
    dispute !== null &&
    dispute.type === 'chargeback' &&
    !['won', 'prevented', 'charge_refunded'].includes(dispute.status)
  return { whole: totalOf(order), refunded, disputed: dispute !== null && (isLost || isOpen) ? dispute.minor : 0 }
}

export const subtotalOf = ({ lines }: ModelledOrder): number =>
  lines.reduce((sum, { priceMinor }) => sum + priceMinor, 0)
/** Some customers leave a tip, which earns nothing. */
const tipOf = ({ id }: ModelledOrder): number => (Number(id) % 3 === 0 ? 500 : 0)
export const totalOf = (order: ModelledOrder): number =>
  subtotalOf(order) + order.shippingMinor + (order.isTaxIncluded ? 0 : order.taxMinor) + tipOf(order)

/** The product of a membership, whose fee earns nothing. */
export const FEE = '101'

const shareOf = (amount: number, part: number, whole: number) =>
  part <= 0 ? 0 : part >= whole ? amount : Math.floor((amount * part) / whole)
const ALL_GOODS: Terms = { type: '', rules: {}, reward: {} }
const list = (value: unknown) => (value ?? []) as string[]
const minor = (value: unknown) => Math.round(((value ?? 0) as number) * 100)

/** What the goods of an order cost that a rule is for, after discounts, without tax and what store credit paid. */
function goodsMinor(order: ModelledOrder, { rules }: Terms): number {
  if (order.status !== 'paid' || order.isCancelled) return 0
  const gross = subtotalOf(order) + order.shippingMinor
  const net = (priceMinor: number) =>
    order.isTaxIncluded ? Math.max(0, priceMinor - shareOf(order.taxMinor, priceMinor, gross)) : priceMinor
  const goods = order.lines.filter(({ productId }) => productId !== FEE)
  const sum = (lines: typeof goods) => lines.reduce((total, { priceMinor }) => total + net(priceMinor), 0)
  const products = list(rules.product_ids)
  const all = sum(goods)
  const chosen = products.length === 0 ? all : sum(goods.filter(({ productId }) => products.includes(productId)))
  return chosen - shareOf(chosen, Math.min(order.creditMinor, all), all)
}

function leftMinor(order: ModelledOrder, terms: Terms): number {
  const goods = goodsMinor(order, terms)
  const { whole, refunded, disputed } = takenBack(order)
  return goods - shareOf(goods, refunded + disputed, whole)
}

/** How much a rule counts of an order: minor units of money, or times. */
function amountOfOrder(order: ModelledOrder, terms: Terms): number {
  const { type, rules } = terms
  if (type === 'points_for_purchases') {
    const goods = goodsMinor(order, terms)
    return goods >= minor(rules.minimum_order) ? goods : 0
  }
  if (type === 'goal_spend') return leftMinor(order, terms)
  if (type === 'punch_card') {
    const left = leftMinor(order, terms)
    return left > 0 && left >= minor(rules.minimum_order_amount) ? 1 : 0
  }
  const { whole, refunded, disputed } = takenBack(order)
  const isWhollyBack = whole > 0 && refunded + disputed >= whole
  const isPaid = order.status === 'paid' && !order.isCancelled && !isWhollyBack
  const kind = { membership_recharge_punch_card: 'membership', product_recharge_punch_card: 'product' }[type]
  return kind !== undefined && isPaid && order.renewal === kind ? 1 : 0
}

/** What a goal needs; null where each cause counts by itself. */
function goalOf({ type, rules }: Terms): number | null {
  if (type === 'goal_spend') return minor(rules.goal_amount)
  return (rules.required_purchases ?? rules.required_recharges ?? null) as number | null
}

/** How often a reward is given at most. */
function limitOf({ type, rules }: Terms): number {
  if (type === 'email_subscription' || type === 'sms_subscription') return 1
  return type === 'reviews' ? ((rules.limit ?? Number.MAX_SAFE_INTEGER) as number) : Number.MAX_SAFE_INTEGER
}

/** What points for money are rounded down from. */
function exactPointsOf({ type, rules }: Terms, amount: number, multiplier: number): Grant['exact'] | undefined {
  if (type !== 'points_for_purchases') return undefined
  const rate = Math.round(((rules.points_per_dollar ?? 1) as number) * 10_000)
  return [BigInt(rate * amount * Math.round(multiplier * 100)), 100_000_000n]
}

/** Points of a reward for so much; null where it is something else. */
function pointsOf({ type, rules, reward }: Terms, amount: number, multiplier: number): number | null {
  if (type === 'points_for_purchases') {
    const rate = Math.round(((rules.points_per_dollar ?? 1) as number) * 10_000)
    return Math.floor((rate * amount * Math.round(multiplier * 100)) / 100_000_000)
  }
  return reward.reward_type === 'points' ? (reward.amount as number) : null
}

/** What customers have by rules of loyalty, as the docs say: what they did is counted, and what follows from it is given and taken back. */
export class ModelledLoyalty {
  readonly rules: ModelledRule[] = []
  readonly orders: ModelledOrder[] = []
  readonly people: ModelledPerson[]
  readonly settings: Settings
  readonly tiers: ModelledTier[] = []
  isOn = true
  areTiersOn = true
  review: Review
  today = 0

  constructor(people: ModelledPerson[], settings: Settings) {
    this.people = people
    this.settings = settings
    this.review = settings.review
  }

  /** Whether customers enter and leave tiers. */
  get moves(): boolean {
    return this.isOn && this.areTiersOn
  }

  /** What an operator sets. What was done while loyalty was off counts for nothing later; where tiers may say something else, all are placed anew. */
  set(given: { isOn?: boolean; areTiersOn?: boolean; review?: Review }): void {
    const before = { isOn: this.isOn, moves: this.moves, review: this.review }
    Object.assign(this, given)
    if (this.isOn && !before.isOn) {
      for (const rule of this.rules) if (rule.isEnabled) rule.countsFrom = this.today
    }
    if (this.moves !== before.moves || this.review !== before.review) this.place({ isAnew: true })
  }

  /** Who they are now. */
  kept(person: number): number {
    return this.people[person]!.mergedInto ?? person
  }

  standing(rule: ModelledRule, person: number): Standing {
    let found = rule.standings.get(person)
    if (!found) rule.standings.set(person, (found = { counts: new Map(), awards: [] }))
    return found
  }

  /** Orders as they are now, together. */
  countOrders(orders: ModelledOrder[]): void {
    const inOrder = orders.toSorted((a, b) => a.day - b.day || Number(a.id) - Number(b.id))
    for (const order of inOrder) this.#useCodes(order)
    this.#count(
      inOrder.map((order) => ({
        person: order.person,
        key: `order:${order.id}`,
        day: order.day,
        order,
        amountOf: (terms) => amountOfOrder(order, terms)
      }))
    )
    for (const order of inOrder) {
      if (order.refunds.length === 0 && order.dispute === null) continue
      for (const person of this.people) {
        const grants = person.points.grants.filter((grant) => this.#sharedBy.get(grant) === order)
        person.points.settle(this.today, grants, takenBack(order))
      }
    }
  }

  /** Of which order refunds and disputes take their shares of these points. */
  readonly #sharedBy = new Map<Grant, ModelledOrder>()

  countConsent(person: number, channel: string): void {
    const amountOf = ({ type }: Terms) => (type === `${channel}_subscription` ? 1 : 0)
    this.#count([{ person, key: `consent:${channel}`, day: this.today, order: null, amountOf }])
  }

  /** A review that was deleted once never counts again. */
  countReview(person: number, id: string, isDeleted: boolean): void {
    const key = `review:judge.me:${id}`
    const ofReviews = this.rules.filter(({ versions }) => versions[0]!.type === 'reviews')
    const isGone = ofReviews.some((rule) => this.standing(rule, person).counts.get(key)?.amount === 0)
    const amountOf = ({ type }: Terms) => (type === 'reviews' && !isDeleted ? 1 : 0)
    if (!isGone) this.#count([{ person, key, day: this.today, order: null, amountOf }])
    if (!isDeleted) return
    for (const rule of ofReviews.filter(({ isArchived }) => !isArchived)) {
      const { counts } = this.standing(rule, person)
      if (!counts.has(key)) counts.set(key, { version: rule.versions.length, amount: 0, order: null, multiplier: 1 })
    }
  }

  #count(deeds: Deed[]): void {
    const changed: { rule: ModelledRule; person: number; key: string; terms: Terms; deed: Deed }[] = []
    for (const deed of deeds) {
      for (const rule of this.rules) {
        const holders = deed.order === null ? [deed.person] : this.people.keys()
        for (const person of holders) {
          const count = this.standing(rule, person).counts.get(deed.key)
          if (!count) continue
          const terms = rule.versions[count.version - 1]!
          const amount = person === deed.person ? deed.amountOf(terms) : 0
          if (amount === count.amount) continue
          count.amount = amount
          changed.push({ rule, person, key: deed.key, terms, deed })
        }
        const { counts } = this.standing(rule, deed.person)
        const terms = rule.versions.at(-1)!
        if (!this.isOn || counts.has(deed.key) || !this.#isOpen(rule, deed)) continue
        const amount = deed.amountOf(terms)
        if (amount === 0) continue
        const multiplier = this.#tierOf(deed.person)?.multiplier ?? 1
        counts.set(deed.key, { version: rule.versions.length, amount, order: deed.order, multiplier })
        changed.push({ rule, person: deed.person, key: deed.key, terms, deed })
      }
    }
    const pairs = [...Map.groupBy(changed, ({ rule, person }) => `${rule.id} ${person}`).values()]
    const gives = pairs.map((ofPair) => {
      const { rule, person } = ofPair[0]!
      return goalOf(rule.versions[0]!) === null
        ? this.#settleEach(rule, ofPair, person)
        : this.#settleGoals(rule, ofPair.at(-1)!.deed, person)
    })
    for (const give of gives) give()
  }

  /** The tier that rules and multipliers see. */
  #tierOf(person: number): ModelledTier | null {
    return this.moves ? this.people[person]!.held.tier : null
  }

  /** What leads a customer to tiers. */
  countedOf(person: number): Counted[] {
    const spent = this.orders
      .filter((order) => order.person === person)
      .map((order) => ({ day: order.day, points: 0, spentMinor: leftMinor(order, ALL_GOODS), orders: 1 }))
    const earned = this.people[person]!.points.grants.filter((grant) => !this.#ofTiers.has(grant)).map((grant) => ({
      ...{ day: grant.earnedOn ?? NEVER, points: grant.lifetime, spentMinor: 0, orders: 0 }
    }))
    return [...spent.filter(({ spentMinor }) => spentMinor > 0), ...earned.filter(({ points }) => points > 0)]
  }

  /** Points that were given for entering tiers, which lead to none. */
  readonly #ofTiers = new Set<Grant>()

  /** Puts customers into their tiers; a lower one only at the review, or `isAnew`. */
  place({ isAnew }: { isAnew: boolean } = { isAnew: false }): void {
    if (!this.moves) return
    for (const [i, person] of this.people.entries()) {
      if (person.mergedInto !== null) continue
      const { held, rewardedTiers } = person
      const state = { held, counted: this.countedOf(i), review: this.review }
      person.held = placedIn(this.tiers, state, { today: this.today, isAnew })
      const { tier } = person.held
      const isHigher = tier !== null && tier.place > (held.tier?.place ?? -1)
      if (!isHigher || Object.keys(tier.rewardRules).length === 0 || rewardedTiers.has(tier)) continue
      rewardedTiers.add(tier)
      this.#reward(person, tier)
    }
  }

  #reward({ points, coupons }: ModelledPerson, { id, rewardRules }: ModelledTier): void {
    const { pointsDays: days, couponDays } = this.settings
    if (rewardRules.points) {
      this.#ofTiers.add(points.earn(this.today, rewardRules.points, { readyOn: this.today, days }))
    }
    if (rewardRules.discount) coupons.push(aCoupon(`tier ${id}`, couponDays === null ? NEVER : this.today + couponDays))
  }

  #isOpen(rule: ModelledRule, { person, day }: Deed): boolean {
    if (!rule.isEnabled || rule.isArchived || day < rule.countsFrom) return false
    const { rules } = rule.versions.at(-1)!
    const tierIds = (rules.tier_ids ?? []) as number[]
    if (tierIds.length > 0 && !tierIds.includes(this.#tierOf(person)?.id ?? 0)) return false
    const named = (rules.customer_settings as { apply_to: string } | undefined)?.apply_to ?? 'all'
    return named === 'all' || (named === 'members') === this.people[person]!.isMember
  }

  /** Takes back what stands no more, and returns what gives the rest: all is taken back before anything is given. */
  #settleEach(rule: ModelledRule, changed: { key: string; terms: Terms; deed: Deed }[], person: number): () => void {
    const standing = this.standing(rule, person)
    const gives: (() => void)[] = []
    let rewarded = standing.awards.length
    for (const { key, terms, deed } of changed) {
      const { amount, multiplier } = standing.counts.get(key)!
      const before = standing.awards.find((award) => award.key === key)
      const earned = pointsOf(terms, amount, multiplier)
      // While loyalty is off nothing becomes more.
      const points = this.isOn || earned === null ? earned : Math.min(earned, before?.points ?? earned)
      const isEarned = amount > 0 && points !== 0
      if (before && isEarned && before.points === points) continue
      if (before) {
        this.#takeBack(standing, before, person)
        rewarded--
      }
      if (!(this.isOn || before) || !isEarned || rewarded >= limitOf(terms)) continue
      rewarded++
      const isShared = deed.order !== null
      const exact = points === earned ? exactPointsOf(terms, amount, multiplier) : undefined
      gives.push(() => this.#give(rule, { key, goal: 0, terms, deed, person, points, exact, isShared }))
    }
    return () => {
      for (const give of gives) give()
    }
  }

  #settleGoals(rule: ModelledRule, deed: Deed, person: number): () => void {
    const standing = this.standing(rule, person)
    const counted = countedOf(standing)
    for (const award of standing.awards.filter(({ goal }) => goal > counted)) this.#takeBack(standing, award, person)
    return () => {
      const terms = rule.versions.at(-1)!
      let used = usedOf(standing)
      while (this.isOn && counted >= used + goalOf(terms)! && (used === 0 || terms.rules.resets === true)) {
        used += goalOf(terms)!
        const points = pointsOf(terms, 1, 1)
        this.#give(rule, { key: `goal:${used}`, goal: used, terms, deed, person, points, isShared: false })
      }
    }
  }

  #give(rule: ModelledRule, { key, goal, terms, deed, person, points, exact, isShared }: Give): void {
    const owner = this.people[this.kept(person)]!
    const { holdDays, pointsDays: days, couponDays } = this.settings
    const readyOn = deed.order === null ? this.today : deed.day + holdDays
    const award: Award = { key, goal, points, grant: null, credit: 0, coupon: null }
    if (points !== null) award.grant = owner.points.earn(this.today, points, { readyOn, days, exact })
    if (award.grant && isShared) this.#sharedBy.set(award.grant, deed.order!)
    if (terms.reward.reward_type === 'store_credit') {
      award.credit = minor(terms.reward.amount)
      owner.credit += award.credit
    }
    if (['discount', 'free_product', 'free_shipping'].includes(terms.reward.reward_type as string)) {
      const endsOn = couponDays === null ? NEVER : this.today + couponDays
      award.coupon = aCoupon(`rule ${rule.id}`, endsOn)
      owner.coupons.push(award.coupon)
    }
    this.standing(rule, person).awards.push(award)
  }

  #takeBack(standing: Standing, award: Award, person: number): void {
    const owner = this.people[this.kept(person)]!
    standing.awards = standing.awards.filter((other) => other !== award)
    if (award.grant) owner.points.undo(this.today, award.grant)
    owner.credit -= Math.min(owner.credit, award.credit)
    const { coupon } = award
    if (coupon && coupon.endedBy === null && coupon.uses === 0) coupon.endedBy = 'revoked'
  }

  #useCodes({ codes, id }: ModelledOrder): void {
    for (const coupon of this.people.flatMap(({ coupons }) => coupons)) {
      const isUsed = coupon.code !== null && codes.includes(coupon.code) && !this.#used.has(`${id} ${coupon.code}`)
      if (!isUsed) continue
      this.#used.add(`${id} ${coupon.code}`)
      coupon.uses++
      coupon.endedBy ??= 'used'
    }
  }

  readonly #used = new Set<string>()

  /** The platform has merged one customer into another: what both have counted and earned is of the other, once each. */
  merge(from: number, to: number): void {
    for (const rule of this.rules) {
      const [of, into] = [this.standing(rule, from), this.standing(rule, to)]
      const after = usedOf(into)
      const moves = (award: Award) => award.goal > 0 || !into.awards.some(({ key }) => key === award.key)
      const moved = of.awards.filter(moves)
      of.awards = of.awards.filter((award) => !moved.includes(award))
      for (const award of moved) {
        const goal = award.goal > 0 ? award.goal + after : 0
        into.awards.push(Object.assign(award, { goal, key: goal > 0 ? `goal:${goal}` : award.key }))
      }
      for (const [key, count] of of.counts) {
        if (into.counts.has(key)) continue
        into.counts.set(key, count)
        of.counts.delete(key)
      }
    }
    const [of, into] = [this.people[from]!, this.people[to]!]
    of.points.transferTo(this.today, into.points)
    into.credit += of.credit
    into.isMember ||= of.isMember
    for (const coupon of of.coupons) into.coupons.push(coupon)
    for (const tier of of.rewardedTiers) into.rewardedTiers.add(tier)
    if ((of.held.tier?.place ?? -1) > (into.held.tier?.place ?? -1)) {
      into.held = { ...of.held, enteredOn: this.today }
    }
    Object.assign(of, { credit: 0, coupons: [], held: NO_TIER, mergedInto: to })
    // What both together have reached.
    for (const rule of this.rules) {
      const orders = [...this.standing(rule, to).counts.values()].flatMap(({ order }) => order ?? [])
      const last = orders.toSorted((a, b) => a.day - b.day).at(-1)
      if (!last || !rule.isEnabled || rule.isArchived || goalOf(rule.versions[0]!) === null) continue
      const standing = this.standing(rule, to)
      if (countedOf(standing) <= usedOf(standing)) continue
      this.#settleGoals(rule, { person: to, key: '', day: last.day, order: last, amountOf: () => 0 }, to)()
    }
    for (const person of this.people) if (person.mergedInto === from) person.mergedInto = to
    for (const order of this.orders) if (order.person === from) order.person = to
    this.place()
  }

  /** Coupons past their date are over. */
  expireCoupons(): void {
    for (const coupon of this.people.flatMap(({ coupons }) => coupons)) {
      if (coupon.endedBy === null && coupon.endsOn <= this.today) coupon.endedBy = coupon.uses > 0 ? 'used' : 'expired'
    }
  }

  /** `completion_progress` of a customer with a rule: current and required; null where it never ends. */
  completion(rule: ModelledRule, person: number): [number, number] | null {
    const terms = rule.versions.at(-1)!
    const standing = this.standing(rule, person)
    const goal = goalOf(terms)
    if (goal === null) {
      const limit = limitOf(terms)
      return limit === Number.MAX_SAFE_INTEGER ? null : [Math.min(standing.awards.length, limit), limit]
    }
    const unit = terms.type === 'goal_spend' ? 100 : 1
    const required = Math.ceil(goal / unit)
    const isRepeated = terms.rules.resets === true
    const open = countedOf(standing) - (isRepeated ? usedOf(standing) : 0)
    const isReached = open >= goal || (!isRepeated && standing.awards.length > 0)
    return [isReached ? Math.max(Math.floor(open / unit), required) : Math.floor(open / unit), required]
  }
}

export const countedOf = ({ counts }: Standing): number =>
  [...counts.values()].reduce((sum, { amount }) => sum + amount, 0)
/** How much the goals that were reached have used. */
export const usedOf = ({ awards }: Standing): number => Math.max(0, ...awards.map(({ goal }) => goal))
