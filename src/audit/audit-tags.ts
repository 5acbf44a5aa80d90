import type { Database } from '#kit/postgres'
import { type ComparedOwner, isDifferent, readDifferences, type TagPage, type TagPlace } from '#mirror'
import type { Connector } from '#platform'
import { type Allowance, type Audited, callsWithin, orWhyNot } from './platform-calls.ts'
import type { Finding } from './run-rules.ts'

/** Needs more than our tables: the tags that the platform itself has. */
export const platformTagsAgree = {
  name: 'platform_tags_agree',
  severity: 'finding',
  help:
    'The platform does not have a [tag](tags.md) that a customer or an order is to have, or has one that we have added and that is to ' +
    'be there no more; and no work waits that would correct it. `perennial tags sync` does. Of a store that is no sandbox 2,000 ' +
    'customers and orders are compared at most, within 10 seconds; `not_checked` says when there were more.'
} as const

/** One call reads so many owners. */
const PAGE = 40
export const TAG_CALLS = { days: 0, calls: 50, ms: 10_000 }

/** Compares the tags of a store with its platform, as far as the allowance goes. Changes nothing. */
export async function auditTags(
  db: Database,
  storeId: number,
  connectorOf: (storeId: number) => Promise<Connector>,
  allowance: Allowance,
  { isAll }: { isAll: boolean }
): Promise<Audited> {
  const audited: Audited = { checked: 0, findings: [], notChecked: [] }
  const call = callsWithin(allowance, () => connectorOf(storeId))
  let place: TagPlace = { kind: 'customer', afterId: 0 }
  while (place !== null) {
    const page: TagPage = { ...place, limit: PAGE, isAll }
    const read: Awaited<ReturnType<typeof readDifferences>> = await orWhyNot(
      readDifferences(db, storeId, page, (kind, ids) =>
        call(({ tags }) => tags.findMany(kind, ids, isAll ? 'normal' : 'low'))
      )
    )
    if (!read.ok) {
      audited.notChecked.push(`tags of ${place.kind}s on the platform were not all compared: ${read.failure.message}`)
      return audited
    }
    audited.checked += read.value.owners.length
    audited.findings.push(
      ...read.value.owners.filter((one) => one.nextTryAt === null && isDifferent(one)).map(findingOf)
    )
    place = read.value.next
  }
  return audited
}

const findingOf = ({ kind, platformId, difference }: ComparedOwner): Finding => ({
  check: platformTagsAgree.name,
  subject: `${kind} ${platformId}`,
  message:
    [
      ...difference!.add.map((tag) => `lacks the tag ${tag}`),
      ...difference!.remove.map((tag) => `still has our tag ${tag}`),
      ...(difference!.problem === null ? [] : [difference!.problem])
    ].join(', ') || 'has no problem any more that is recorded here'
})
