import { type Ctx, sql } from '#kit/postgres'
import { beginningOf, shortenList } from '#kit/texts'
import type { FoundMetafield } from '#platform'
import { notify } from '#stores'
import { deriveWanted } from './derive-wanted.ts'
import { listKnownMetafields, ownerKey } from './owner-queries.ts'
import { hashOf, type OwnerOfMetafields } from './wanted-metafields.ts'

/** Another app that writes our metafields again and again raises no more alerts than so many in a day. */
const ALERTS_A_DAY = 50
/** Of a value so many characters are quoted. */
const MAX_QUOTED = 201

type FoundOwner = { owner: OwnerOfMetafields; platformId: string; found: FoundMetafield[] }

/**
 * Counts what the platform has otherwise than the service had left it and than it wants it, and raises an alert that names it: it is
 * corrected afterwards, and nobody could see any more what was wrong. To be called before what is known is replaced by what was found.
 * An owner of whom nothing was known yet was changed by nobody.
 */
export async function reportChanges(ctx: Ctx, owners: FoundOwner[]): Promise<void> {
  const known = await listKnownMetafields(
    ctx,
    owners.map(({ owner }) => owner)
  )
  const suspects = owners.flatMap((one) => {
    const before = known.get(ownerKey(one.owner))!
    // Of a discount that is another one than before, nothing was changed.
    if (before.size === 0 || (one.owner.kind === 'discount' && one.found.length === 0)) return []
    const found = new Map(one.found.map((metafield) => [metafield.key, metafield]))
    const keys = [...new Set([...before.keys(), ...found.keys()])].filter(
      (key) => before.get(key)?.hash !== hashOfFound(found.get(key))
    )
    return keys.length === 0 ? [] : [{ ...one, keys, found }]
  })
  if (suspects.length === 0) return
  const wantedOf = await deriveWanted(
    ctx,
    suspects.map(({ owner }) => owner)
  )
  const changes = suspects.flatMap(({ owner, platformId, keys, found }) => {
    const wanted = wantedOf.get(ownerKey(owner))
    if (!wanted) return []
    const wrong = keys.filter((key) => wanted.get(key)?.hash !== hashOfFound(found.get(key))).toSorted()
    if (wrong.length === 0) return []
    const name = owner.kind === 'shop' ? 'the shop' : `the ${owner.kind} ${platformId}`
    return [
      { count: wrong.length, text: `${name}: ${wrong.map((key) => quoted(owner, key, found.get(key))).join(', ')}` }
    ]
  })
  if (changes.length === 0) return
  const count = changes.reduce((sum, change) => sum + change.count, 0)
  await ctx.tx.run(sql`
    update metafield_stores set changed_by_others = changed_by_others + ${count} where store_id = ${ctx.storeId}`)
  await notify(ctx, {
    kind: 'metafields_changed_by_others',
    subject:
      count === 1 ? 'A metafield was changed by somebody else' : `${count} metafields were changed by somebody else`,
    message: `On the platform these were not as the service had left them, and it corrects them: ${shortenList(
      changes.map(({ text }) => text),
      '; '
    )}. Somebody has edited them, or another app writes them.`,
    atMostEveryHours: 24,
    atMost: ALERTS_A_DAY
  })
}

const hashOfFound = (found: FoundMetafield | undefined) => found && hashOf(found.type, found.value)

/** What a metafield was; values of customers are quoted only where they are a number: the others may be about people. */
function quoted({ kind }: OwnerOfMetafields, key: string, found: FoundMetafield | undefined): string {
  if (!found) return `${key} was deleted`
  if (kind === 'customer' && !/^-?\d{1,15}(\.\d{1,3})?$/.test(found.value)) return key
  return `${key} was ${beginningOf(found.value.replaceAll('\0', '').toWellFormed(), MAX_QUOTED)}`
}
