import type { PlatformClient } from '../wire/client.ts'
import type { AdminDocument } from '../wire/document.ts'
import type { Fields } from '../wire/fields.ts'
import { type PlatformResult, succeeded } from '../wire/outcome.ts'
import { nextCursor } from '../wire/pages.ts'
import { type ChangedContract, readChangedContract } from './contract.ts'
import {
  DraftCommit,
  DraftDiscountAdd,
  DraftDiscountRemove,
  DraftDiscounts,
  MemberDiscountDraft,
  MemberDiscounts
} from './documents.ts'
import {
  type FoundMemberDiscount,
  type MemberDiscount,
  memberDiscountChanges,
  readMemberDiscounts
} from './member-discounts.ts'

type DiscountsPage = { discounts: FoundMemberDiscount[]; after: string | null }

/** The discounts of ours that a contract has; null when the platform has no such contract. */
export async function findMemberDiscounts(
  client: PlatformClient,
  contractId: string
): Promise<PlatformResult<FoundMemberDiscount[] | null>> {
  const page = readPageOf(
    client,
    MemberDiscounts,
    'subscriptionContract',
    client.gid('SubscriptionContract', contractId)
  )
  const first = await page(null)
  if (!first.ok || first.value === null) return first as PlatformResult<null>
  return withPages(first.value, page)
}

/**
 * Brings the discounts of ours on a contract to the wanted ones, through a draft, and leaves all others alone. What is there already is
 * read of the draft itself, and a commit after another change of the contract is refused (`stale_contract`): so two processes, or a
 * repetition after a lost answer, never give a discount twice. Null: there was nothing to change. Safe to repeat.
 */
export async function setMemberDiscounts(
  client: PlatformClient,
  contractId: string,
  wanted: MemberDiscount[]
): Promise<PlatformResult<ChangedContract | null>> {
  const id = client.gid('SubscriptionContract', contractId)
  const opened = await client.mutate(MemberDiscountDraft, { id }, (payload) => {
    const draft = payload.at('draft')
    return { draftId: draft.text('id'), first: readDiscountsPage(draft) }
  })
  if (!opened.ok) return opened
  const { draftId, first } = opened.value
  const found = await withPages(first, readPageOf(client, DraftDiscounts, 'subscriptionDraft', draftId))
  if (!found.ok) return found
  const { remove, add } = memberDiscountChanges(found.value, wanted)
  if (remove.length === 0 && add.length === 0) return succeeded(null)

  for (const { gid } of remove) {
    const removed = await client.mutate(DraftDiscountRemove, { draftId, discountId: gid }, () => null)
    if (!removed.ok) return removed
  }
  for (const { title, percent, lineIds } of add) {
    const lines = lineIds.map((lineId) => client.gid('SubscriptionLine', lineId))
    const input = { title, value: { percentage: percent }, entitledLines: { lines: { add: lines } } }
    const added = await client.mutate(DraftDiscountAdd, { draftId, input }, () => null)
    if (!added.ok) return added
  }
  return client.mutate(DraftCommit, { draftId }, readChangedContract)
}

function readDiscountsPage(owner: Fields): DiscountsPage {
  const connection = owner.at('discounts')
  return { discounts: readMemberDiscounts(connection), after: nextCursor(connection) }
}

type ReadPage = (after: string | null) => Promise<PlatformResult<DiscountsPage | null>>

const readPageOf =
  (client: PlatformClient, document: AdminDocument, root: string, id: string): ReadPage =>
  (after) =>
    client.query(document, { id, after }, (data) => {
      const owner = data.maybeAt(root)
      return owner && readDiscountsPage(owner)
    })

async function withPages(first: DiscountsPage, read: ReadPage): Promise<PlatformResult<FoundMemberDiscount[]>> {
  const all = [...first.discounts]
  for (let after = first.after; after !== null; ) {
    const page = await read(after)
    if (!page.ok) return page
    all.push(...(page.value?.discounts ?? []))
    after = page.value?.after ?? null
  }
  return succeeded(all)
}
