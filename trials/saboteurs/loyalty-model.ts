import type { Edit, Saboteur } from './saboteur.ts'

const run = ['test/run.ts', 'test/loyalty-model-trial.test.ts']

const says = (rule: string, edits: Edit[]): [string, Saboteur] => [
  rule,
  { trial: 'loyalty-model', run, trialThen: { failsWith: 'Counterexample' }, edits }
]
const edit = (file: string, from: string, to: string): Edit => ({ file: `src/loyalty/${file}`, from, to })

export const loyaltyModelSaboteurs: Record<string, Saboteur> = Object.fromEntries([
  says('a refund does not lower what a goal of spending has counted', [
    edit('rules/goal-spend/goal-spend.ts', 'import { keptMinor }', 'import { eligibleMinor as keptMinor }')
  ]),
  says('a punch card that begins anew gives its reward once', [
    edit('earning/plan-awards.ts', '(rewarded === 0 || repeats)', 'rewarded === 0')
  ]),
  says('an order that is counted again is counted by what its rule says now', [
    edit('earning/count-deeds.ts', 'terms: versions.get(termsKey(count))!', 'terms: last.get(count.ruleId)!')
  ]),
  says('a rule gives one reward more than its limit', [
    edit('earning/plan-awards.ts', 'rewarded >= limit', 'rewarded > limit')
  ]),
  says('what store credit has paid counts as spent', [
    edit('causes/order-amounts.ts', 'return chosen - inProportion(chosen, credit, all)', 'return chosen')
  ]),
  says('points of an order can be spent before its days of waiting are over', [
    edit('earning/give-rewards.ts', 'isHeld && holdDays > 0', 'isHeld && holdDays < 0')
  ]),
  says('an order that was edited earns a second time', [
    edit('earning/plan-awards.ts', 'if (award) {', 'if (award && !isRight) {')
  ]),
  says('a second click buys a second coupon', [
    edit('coupons/redeem-template.ts', '? await findUnusedCoupon(ctx, memberId, templateId)', '? null')
  ]),
  says('what was counted of a customer is lost when they are merged', [
    edit(
      'earning/transfer-loyalty.ts',
      'and not exists (select from loyalty_counts d',
      'and false and not exists (select from loyalty_counts d'
    )
  ]),
  says('goals of a merged customer are those that the other has reached already', [
    edit('earning/transfer-loyalty.ts', 'coalesce(max(q.rewarded), 0) as rewarded', '0 as rewarded')
  ]),
  says('a reward stays whose goal is no longer reached', [
    edit('earning/plan-awards.ts', 'return { gives, reverses: standing,', 'return { gives, reverses: [],')
  ]),
  says('a goal that is reached again gives nothing', [
    edit('earning/plan-awards.ts', 'standing.length > 0 ? used : progress.rewarded', 'progress.rewarded')
  ]),
  says('goals give their rewards while loyalty is off', [
    edit('earning/count-deeds.ts', 'mayGive: isOn', 'mayGive: true')
  ]),
  says('an order below the least amount earns points', [
    edit(
      'rules/points-for-purchases/points-for-purchases.ts',
      'eligible >= rules.minimum_order ? eligible : 0',
      'eligible'
    )
  ]),
  says('a rule for members is for everybody', [
    edit(
      'earning/customer-standing.ts',
      "return isNamed(settings, standing) === (settings.action === 'include')",
      'return isNamed(settings, standing) || settings.action !== null'
    )
  ]),
  says('orders from before a rule earn by it', [
    edit('rules/rule.ts', 'if (!isEnabled || isBefore(day, startsOn) || ', 'if (!isEnabled || '),
    edit('rules/rule.ts', 'return Temporal.Instant.compare(createdAt, at) <= 0 ||', 'return createdAt !== at ||')
  ]),
  says('points of a coupon that was refused stay spent', [
    edit('coupons/record-coupon-work.ts', 'if (!claimed.wasSent) await giveBackPoints(ctx, id, coupon)', '')
  ]),
  says('the fee of a membership earns points', [
    edit(
      'earning/earn-for-orders.ts',
      'productId === null || !fees.has(productId)',
      'productId === null || fees.size >= 0'
    )
  ]),
  says('tax that prices include earns points', [
    edit('earning/earn-for-orders.ts', '  isTaxIncluded(order)\n', '  isTaxIncluded(order) && lineMinor < 0\n')
  ]),
  says('tax that prices include earns points where the order has a tip', [
    edit('earning/earn-for-orders.ts', '  said ?? totalMinor', '  totalMinor')
  ]),
  says('points of what refunds leave are rounded twice', [
    edit('earning/points-of.ts', 'return exactPointsOf(parts, whole)', 'return exactPointsOf(parts / whole, 1n)')
  ]),
  says('a rule for some products counts all', [
    edit('causes/order-amounts.ts', 'const chosen = isForAll\n', 'const chosen = isForAll || all > 0\n')
  ]),
  says('a renewal that was wholly refunded counts', [
    edit('rules/is-renewal.ts', '(wholeMinor === 0 || minor < wholeMinor)', 'wholeMinor >= 0')
  ]),
  says('the progress of a card that begins anew does not', [
    edit('progress/completion.ts', 'isRepeated ? counted - rewarded : counted', 'counted')
  ]),
  says('an order that the platform gave to another customer stays counted of the first', [
    edit(
      'earning/count-deeds.ts',
      'count.memberId === deed.memberId ? amountOf(terms, deed.cause) : 0',
      'amountOf(terms, deed.cause)'
    )
  ]),
  says('a review that was deleted counts again', [
    edit('reports/report-event.ts', "cause.kind === 'action' || !(await isDeleted(ctx, deed))", 'deed')
  ]),
  says('points do not expire', [
    edit('earning/give-rewards.ts', 'expireAfterDays, isShared }]', 'expireAfterDays: null, isShared }]')
  ]),
  says('refunds leave the points of their order', [
    edit(
      'earning/plan-awards.ts',
      'isHeld: isShared || isHeld(terms), isShared }',
      'isHeld: isShared || isHeld(terms), isShared: false }'
    )
  ]),
  says('a coupon stays whose reward is no longer earned', [
    edit('coupons/end-coupons.ts', "status <> 'ended' and usage_count = 0", "status <> 'ended' and usage_count > 0")
  ])
])
