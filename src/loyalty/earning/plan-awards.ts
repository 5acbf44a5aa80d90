import type { RuleTerms } from '../rules/rule-terms.ts'
import type { Award } from './award-queries.ts'
import type { Progress } from './count-queries.ts'
import type { Count } from './deed.ts'
import { pointsOf, unroundedPoints } from './points-of.ts'

/** A reward that is to be given. */
export type Give = {
  terms: RuleTerms
  memberId: number
  key: string
  amount: number
  /** Points that it gives; null where it gives something else. */
  points: number | null
  /** What was rounded down to these points; null where that is the same. */
  exactPoints: string | null
  orderId: number | null
  at: Temporal.Instant
  /** Its points are pending for the days that the shop has set. */
  isHeld: boolean
  /** Refunds and disputes of the order take their shares of it. */
  isShared: boolean
}

export type Plan = { gives: Give[]; reverses: Award[]; progress: Progress }

/** What was counted anew of one rule for one customer. */
export type Changed = {
  /** What the rule says now: the next goal is its. */
  terms: RuleTerms
  /** Each with its terms, those of the time when it was counted first. */
  counts: { count: Count; terms: RuleTerms; before: number }[]
  /** What is counted now, and what was rewarded until now. */
  progress: Progress
  standing: Award[]
  /** Of a rule with a goal: what the awards that are not beyond it have used. */
  used: number
  /** Loyalty is on: where it is off, rewards are only taken back, and none becomes more. */
  mayGive: boolean
}

/** Decides which rewards follow from what a rule has counted, and which stand no more. Pure. */
export const planAwards = (changed: Changed): Plan =>
  changed.terms.type.counts.mode === 'each' ? planEach(changed) : planGoals(changed)

/** Each cause by itself. One whose amount is another gives other points: what it gave is taken back, and given anew. */
function planEach({ counts, progress, standing, mayGive }: Changed): Plan {
  const gives: Give[] = []
  const reverses: Award[] = []
  let rewarded = progress.rewarded
  for (const { count, terms } of counts) {
    const award = standing.find(({ key }) => key === count.cause)
    const earned = pointsOf(terms, count.amount, count.multiplierHundredths)
    const isAtMost = !mayGive && earned !== null && award?.points != null
    const points = isAtMost ? Math.min(earned, award.points!) : earned
    const isRight = count.amount > 0 && points !== 0
    if (award && isRight && award.points === points) continue
    if (award) {
      reverses.push(award)
      rewarded--
    }
    const limit = limitOf(terms)
    if (!(mayGive || award) || !isRight || (limit !== null && rewarded >= limit)) continue
    rewarded++
    const { memberId, cause: key, amount, orderId, at } = count
    const isShared = orderId !== null
    const exact = points === earned ? unroundedPoints(terms, amount, count.multiplierHundredths) : null
    gives.push({
      ...{ terms, memberId, key, amount, points, exactPoints: isShared ? exact : null, orderId, at },
      ...{ isHeld: isShared || isHeld(terms), isShared }
    })
  }
  return { gives, reverses, progress: { ...progress, rewarded } }
}

/** Goals one after the other. An award stands while as much is counted as its goal needed. */
function planGoals({ terms, counts, progress, standing, used, mayGive }: Changed): Plan {
  const gives: Give[] = []
  let rewarded = standing.length > 0 ? used : progress.rewarded
  const last = counts.at(-1)!.count
  const { goal, repeats } = goalOf(terms)
  while (mayGive && progress.counted >= rewarded + goal && (rewarded === 0 || repeats)) {
    rewarded += goal
    const { memberId, orderId, at } = last
    const points = pointsOf(terms, 1, 100)
    const isHeld = orderId !== null
    gives.push({
      terms,
      memberId,
      key: `goal:${rewarded}`,
      amount: rewarded,
      points,
      exactPoints: null,
      orderId,
      at,
      isHeld,
      isShared: false
    })
  }
  return { gives, reverses: standing, progress: { ...progress, rewarded } }
}

/** The type alone knows what its rules hold. */
function limitOf({ type, rules }: RuleTerms): number | null {
  return type.counts.mode === 'each' ? type.counts.limit(rules as never) : null
}

const isHeld = ({ type: { counts } }: RuleTerms): boolean => counts.mode === 'each' && counts.isHeld === true

function goalOf({ type, rules }: RuleTerms): { goal: number; repeats: boolean } {
  if (type.counts.mode !== 'sum') throw new Error(`The type ${type.name} has no goal`)
  return { goal: type.counts.goal(rules as never), repeats: type.counts.repeats(rules as never) }
}
