import type { Database } from '#kit/postgres'
import { type MetafieldDifferences, type MetafieldFound, metafieldKeysOf, readMetafieldDifferences } from '#mirror'
import type { Connector, PlatformResult } from '#platform'
import { type Allowance, type Audited, callsWithin, orWhyNot } from './platform-calls.ts'
import { countOf } from './platform-charges.ts'
import type { Finding } from './run-rules.ts'

/** Needs more than our tables: the metafields that the platform itself has. */
export const platformMetafieldsAgree = {
  name: 'platform_metafields_agree',
  severity: 'finding',
  help:
    'A [metafield](metafields.md) of the shop, a discount or a customer is not on the platform as it is to be, and no work waits that would correct it: ' +
    'somebody has changed it there. The daily comparison corrects it, `perennial metafields sync` does so now. What cannot be written is in ' +
    '`metafields_written`. Of a store that is no sandbox the shop and 2,000 customers are compared at most, within 10 seconds, and 100 findings are ' +
    'listed; `not_checked` says when there were more.'
} as const

/** One call reads so many customers. */
const PAGE = 40
const MAX_FINDINGS = 100
export const METAFIELD_CALLS = { days: 0, calls: 52, ms: 10_000 }

/** Compares the metafields of a store with its platform, as far as the allowance goes. Changes nothing. */
export async function auditMetafields(
  db: Database,
  storeId: number,
  connectorOf: (storeId: number) => Promise<Connector>,
  allowance: Allowance,
  { isSandbox }: { isSandbox: boolean }
): Promise<Audited> {
  const priority = isSandbox ? 'normal' : 'low'
  const call = callsWithin(allowance, () => connectorOf(storeId))
  const findings: Finding[] = []
  let [checked, more, changing] = [0, 0, 0]
  let why: string | null = null
  let place: { afterId: number | null } | null = { afterId: null }
  while (place !== null) {
    const page: PlatformResult<MetafieldDifferences> = await orWhyNot(
      readMetafieldDifferences(
        db,
        storeId,
        { ...place, limit: PAGE },
        {
          shop: () => call(({ metafields }) => metafields.findOfShop(metafieldKeysOf('shop'), priority)),
          many: (kind, ids) => call(({ metafields }) => metafields.findMany(kind, ids, metafieldKeysOf(kind), priority))
        }
      )
    )
    if (!page.ok) {
      why = page.failure.message
      break
    }
    const { compared, differences, isChanging, next }: MetafieldDifferences = page.value
    checked += compared
    const unexplained = findingsOf(differences)
    // An event that is still to be handled may have changed what is wanted: nobody knows of whom.
    if (isChanging) changing += unexplained.length
    else {
      const listed = unexplained.slice(0, MAX_FINDINGS - findings.length)
      findings.push(...listed)
      more += unexplained.length - listed.length
    }
    place = next === null ? null : { afterId: next }
  }
  return {
    checked,
    findings,
    notChecked: [
      why && `metafields on the platform were not all compared: ${why}`,
      countOf(more, 'more owners have metafields on the platform that are not as they are to be'),
      countOf(
        changing,
        'owners have other metafields on the platform than they are to have, which events may explain that are still to be handled'
      )
    ].filter((text) => text !== null)
  }
}

/** One for each owner of whom something differs that nothing waits to correct, and of which no problem is recorded. */
function findingsOf(differences: MetafieldFound[]): Finding[] {
  const wrong = differences.filter(({ nextTryAt, problem }) => nextTryAt === null && problem === null)
  const byOwner = Map.groupBy(wrong, ({ kind, platformId }) => (kind === 'shop' ? 'shop' : `${kind} ${platformId}`))
  return [...byOwner].map(([subject, ofOwner]) => ({
    check: platformMetafieldsAgree.name,
    subject,
    message: ofOwner
      .map(({ key, wanted, found }) =>
        found === null
          ? `lacks the metafield ${key}`
          : wanted === null
            ? `has the metafield ${key}, which is not to be there`
            : `has another value in the metafield ${key} than it is to have`
      )
      .join(', ')
  }))
}
