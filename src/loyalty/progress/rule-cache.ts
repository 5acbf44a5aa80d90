import { type Ctx, row, sql, text } from '#kit/postgres'
import { storeContext } from '#stores'
import { type LoyaltyRule, rewardJson, ruleActivity, rulesJson } from '../rules/rule.ts'
import { listRules } from '../rules/rule-queries.ts'

/** A rule with `rules` and `reward_rules` as JSON. */
export type ListedRule = {
  rule: LoyaltyRule
  rulesJson: Record<string, unknown>
  rewardJson: Record<string, unknown>
}

/** What a store's rules were at a time, and until when they stay so by themselves: then one begins or ends. */
type Known = { stamp: string; since: Temporal.Instant; until: Temporal.Instant | null; listed: readonly ListedRule[] }

/** Some megabytes: of a hundred stores with as many rules as there may be. */
const MAX_RULES_KEPT = 20_000

/**
 * Remembers the rules of stores, which are the same for everybody who reads them: to read 200 from their JSON costs several times as much as to ask whether one has
 * changed. Only for transactions that change no rule: others could not see what they remember.
 */
export class RuleCache {
  readonly #stores = new Map<number, Known>()
  #kept = 0

  /** All rules that are not archived, in the order in which they were created, as they are now. */
  async list(ctx: Ctx): Promise<readonly ListedRule[]> {
    const { timezone } = await storeContext(ctx)
    const stamp = `${await stampOf(ctx)} ${timezone}`
    const known = this.#stores.get(ctx.storeId)
    if (known?.stamp === stamp && isWithin(known, ctx.now)) return known.listed
    const listed = (await listRules(ctx)).map((rule) => ({
      rule,
      rulesJson: rulesJson(rule),
      rewardJson: rewardJson(rule)
    }))
    const until = listed
      .flatMap(({ rule }) => ruleActivity(rule, ctx.now, timezone).dueAt ?? [])
      .sort(Temporal.Instant.compare)[0]
    // What somebody has changed meanwhile is read by the next.
    if (`${await stampOf(ctx)} ${timezone}` === stamp) {
      this.#keep(ctx.storeId, { stamp, since: ctx.now, until: until ?? null, listed })
    }
    return listed
  }

  #keep(storeId: number, known: Known): void {
    this.#kept += known.listed.length - (this.#stores.get(storeId)?.listed.length ?? 0)
    if (this.#kept > MAX_RULES_KEPT) {
      this.#stores.clear()
      this.#kept = known.listed.length
    }
    this.#stores.set(storeId, known)
  }
}

function isWithin({ since, until }: Known, now: Temporal.Instant): boolean {
  const { compare } = Temporal.Instant
  return compare(since, now) <= 0 && (until === null || compare(now, until) < 0)
}

/** Another one after each change of a rule: the JSON of one changes with its version alone. */
async function stampOf(ctx: Ctx): Promise<string> {
  const { stamp } = await ctx.tx.one(
    row({ stamp: text }),
    sql`
    select md5(coalesce(string_agg(concat_ws('|', id, version, updated_at, is_enabled, starts_on, coalesce(ends_on, '0001-01-01'), length(name),
                                             name, length(description), description), '|' order by id), '')) as stamp
      from loyalty_rules where store_id = ${ctx.storeId} and archived_at is null`
  )
  return stamp
}
