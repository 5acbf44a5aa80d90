// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is replaced holds them
import type { Edit, Saboteur } from './saboteur.ts'

const run = ['test/run.ts', 'test/loyalty-model-trial.test.ts']

const says = (rule: string, edits: Edit[], failsWith = 'Not as the model says'): [string, Saboteur] => [
  rule,
  { trial: 'loyalty-model', run, trialThen: { failsWith }, edits }
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
  says(
    'goals of a merged customer are those that the other has reached already',
    [edit('earning/transfer-loyalty.ts', 'coalesce(max(q.rewarded), 0) as rewarded', '0 as rewarded')],
    // No goal of a customer is rewarded twice.
    'loyalty_awards_standing'
  ),
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
    edit('rules/rule.ts', 'return isSince(createdAt) ||', 'return createdAt !== at ||')
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
    edit('earning/earn-for-orders.ts', 'isTaxIncluded(order) ?', 'isTaxIncluded(order) && lineMinor < 0 ?')
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
  ]),
  says('when tiers are on again customers stay where they were', [
    edit(
      'tiers/tier-stores.ts',
      'review = ${tierReview}, walk_due_at = ${ctx.now}, walk',
      'review = ${tierReview}, walk'
    )
  ]),
  says('another review of tiers leaves customers where they were', [
    edit(
      'tiers/tier-stores.ts',
      '(is_frozen, review) is distinct from (${isFrozen}::boolean, ${tierReview}::text)',
      'is_frozen is distinct from ${isFrozen}::boolean'
    )
  ]),
  says('a change of the tiers moves nobody', [
    edit(
      'tiers/change-tiers.ts',
      'if (placesOthers(before.find(isThis), after.find(isThis)!)) await',
      'if (placesOthers(before.find(isThis), before.find(isThis) ?? after.find(isThis)!)) await'
    )
  ]),
  says('a change of the tiers takes nobody down', [
    edit('customer-tiers/tier-engine.ts', 'walk.memberIds, { isAnew: true }', 'walk.memberIds')
  ]),
  says('customers enter tiers while those are off', [
    edit('customer-tiers/place-customers.ts', '=== 0 || !(await areTiersOn(ctx))) return', '=== 0) return')
  ]),
  says('customers have the tags of tiers while those are off', [
    edit(
      'customer-tiers/tier-tags.ts',
      "if ((await settingsOf(ctx, loyaltySettings)).tiers === 'off') return new Map()",
      ''
    )
  ]),
  says('points are multiplied while tiers are off', [
    edit('earning/customer-standing.ts', 'const without = hasTiers ?', 'const without = hasTiers || rows.length > 0 ?')
  ]),
  says('what merged customers have spent stays with the one who is gone', [
    edit(
      'customer-tiers/transfer-tier.ts',
      'set member_id = ${to} where store_id',
      'set member_id = ${to} where false and store_id'
    )
  ]),
  says('what merged customers have earned leads to no tier', [
    edit(
      'customer-tiers/held-tiers.ts',
      `{ since }: Extract<ReviewPeriod, { kind: 'rolling_year' }>
): Promise<HeldTier[]> {
  return ctx.tx.many(
    Held,
    sql\`
    with people as (
      select id, coalesce(merged_into, id) as member_id from members
       where store_id = \${ctx.storeId} and (id = any(\${memberIds}::bigint[]) or merged_into = any(`,
      `{ since }: Extract<ReviewPeriod, { kind: 'rolling_year' }>
): Promise<HeldTier[]> {
  return ctx.tx.many(
    Held,
    sql\`
    with people as (
      select id, coalesce(merged_into, id) as member_id from members
       where store_id = \${ctx.storeId} and (id = any(\${memberIds}::bigint[]) or id = any(`
    )
  ]),
  says('the higher tier of merged customers is lost', [
    edit('customer-tiers/transfer-tier.ts', 'await keepHigherTier(ctx, from, to)', '')
  ]),
  says('merged customers are given again what a tier gives', [
    edit(
      'customer-tiers/transfer-tier.ts',
      'and member_id = ${from} offset 0)',
      'and member_id = ${from} and false offset 0)'
    )
  ]),
  says('the sums of two calendar years are one', [
    edit('customer-tiers/held-tiers.ts', 'at >= ${thisYear} as is_now', 'at >= ${lastYear} as is_now')
  ]),
  says('calendar years are reviewed as rolling ones', [
    edit('tiers/review-period.ts', 'return reviewPeriod(tierReview, {', "return reviewPeriod('rolling_year', {")
  ]),
  says('a rolling year is a day shorter', [edit('tiers/review-period.ts', '= 365 * 24', '= 364 * 24')]),
  says('points that were taken back lead to tiers', [
    edit(
      'customer-tiers/held-tiers.ts',
      'select member_id, at, points, 0 as spent, 0 as orders from earned where at > ${since}',
      `select p.member_id, e.created_at as at, e.lifetime_points as points, 0 as spent, 0 as orders
        from people p join points_entries e on e.store_id = \${ctx.storeId} and e.member_id = p.id
       where e.type = 'earned' and e.operation_id not like 'tier:%' and e.created_at > \${since}`
    )
  ]),
  says('points that a tier gives lead to tiers', [
    edit(
      'customer-tiers/give-tier-rewards.ts',
      'operationId: `tier:${id}:${memberId}` }',
      'operationId: `level:${id}:${memberId}` }'
    )
  ]),
  says('orders from before the first tier lead to none', [
    edit('tiers/tier-stores.ts', '${tierReview}, ${ctx.now}, ${ctx.now})', '${tierReview}, ${ctx.now}, null)')
  ]),
  says('what was refunded leads to tiers', [
    edit('earning/earn-for-orders.ts', 'import { keptMinor }', 'import { eligibleMinor as keptMinor }')
  ]),
  says('an order that was wholly refunded is one of those that a tier asks for', [
    edit('customer-tiers/held-tiers.ts', 'and spent_at > ${since} and kept_minor > 0', 'and spent_at > ${since}')
  ]),
  says('an order that the platform gave to another customer leads the first to tiers', [
    edit('customer-tiers/record-spending.ts', ' || was.memberId !== memberId', '')
  ]),
  says('a rule for some tiers is for everybody', [
    edit(
      'earning/customer-standing.ts',
      'if (tierIds.length > 0 && !tierIds.some',
      'if (tierIds.length > 100 && !tierIds.some'
    )
  ]),
  says('nobody loses a tier at its review', [
    edit(
      'customer-tiers/plan-tier.ts',
      '!isAnew && !isDue) return current',
      '!isAnew) return isDue ? { ...current, reviewAt: now.add({ hours: 8760 }) } : current'
    )
  ]),
  says('a refund takes a tier at once', [
    edit('customer-tiers/plan-tier.ts', 'if (present && (!best', 'if (isAnew && present && (!best')
  ]),
  says('a tier multiplies no points', [
    edit(
      'earning/points-of.ts',
      '* BigInt(amount) * BigInt(multiplierHundredths)',
      '* BigInt(amount) * BigInt(HUNDREDTHS)'
    )
  ]),
  says('a tier multiplies points twice', [
    edit(
      'earning/points-of.ts',
      '* BigInt(amount) * BigInt(multiplierHundredths)',
      '* BigInt(amount) * BigInt(multiplierHundredths) ** 2n / 100n'
    )
  ]),
  says('an order that is counted again is multiplied by the tier of now', [
    edit(
      'earning/count-deeds.ts',
      '[{ count: { ...count, amount }, terms',
      '[{ count: { ...count, amount, multiplierHundredths: standings.get(count.memberId)!.multiplierHundredths }, terms'
    )
  ]),
  says('falling into a tier gives what it gives', [
    edit(
      'customer-tiers/place-customers.ts',
      'return tier && tier.place > (from?.place ?? -1) ?',
      'return tier && from !== tier ?'
    )
  ]),
  says('points of the last calendar year count for the next tier', [
    edit('tiers/review-period.ts', '{ since: period.thisYear, isAfter', '{ since: period.lastYear, isAfter')
  ]),
  says('more tax than an order has prices counts against a goal', [
    edit('earning/earn-for-orders.ts', 'return Math.max(0, lineMinor - ofTaxMinor)', 'return lineMinor - ofTaxMinor')
  ]),
  says('refunds of orders that are reported together are settled as the orders came', [
    {
      file: 'src/order-effects/take-back.ts',
      ...{ from: 'Temporal.Instant.compare(a.processedAt, b.processedAt) || a.id - b.id', to: 'a.id - b.id' }
    }
  ]),
  says('an order that was edited while its dispute had taken all of its points earns them twice when that is won', [
    {
      file: 'src/points/reverse-points.ts',
      ...{ from: 'whole > 0 && !reversing.some(isUndoing)', to: 'undone < whole' }
    }
  ])
])
