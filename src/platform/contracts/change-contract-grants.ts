import { decimalOf } from '#kit/money'
import type { PlatformClient } from '../wire/client.ts'
import type { Fields } from '../wire/fields.ts'
import { type PlatformResult, succeeded } from '../wire/outcome.ts'
import { type ChangedContract, readChangedContract } from './contract.ts'
import {
  type FoundContractGrant,
  type FoundContractGrants,
  GRANT_ATTRIBUTE,
  grantTitle,
  type NewContractGrant,
  readGrants
} from './contract-grants.ts'
import {
  ContractGrants,
  DraftCommit,
  DraftDiscountRemove,
  DraftGrants,
  DraftLineAdd,
  DraftLineRemove,
  GrantDiscountAdd,
  GrantDraft,
  GrantFreeShippingAdd
} from './documents.ts'

/** The grants that a contract has, with its status; null when the platform has no such contract. */
export async function findContractGrants(
  client: PlatformClient,
  contractId: string
): Promise<PlatformResult<FoundContractGrants | null>> {
  const id = client.gid('SubscriptionContract', contractId)
  const readPage = (after: Cursors) =>
    client.query(ContractGrants, { id, ...after }, (data) => {
      const contract = data.maybeAt('subscriptionContract')
      return contract && { status: contract.lower('status'), ...readGrantsPage(contract) }
    })
  const first = await readPage(FROM_THE_BEGINNING)
  if (!first.ok || first.value === null) return first as PlatformResult<null>
  const grants = await withPages(first.value, readPage)
  return grants.ok ? succeeded({ status: first.value.status, grants: grants.value }) : grants
}

/**
 * Gives a contract a grant, through a draft, unless it has it already. What is there is read of the draft itself, and a commit after another
 * change of the contract is refused (`stale_contract`): so two processes, or a repetition after a lost answer, never give it twice. Returns
 * the grant as the contract has it then.
 */
export async function addContractGrant(
  client: PlatformClient,
  contractId: string,
  grant: NewContractGrant
): Promise<PlatformResult<FoundContractGrant>> {
  const draft = await openDraft(client, contractId)
  if (!draft.ok) return draft
  const { draftId, grants } = draft.value
  const present = grants.find(({ key }) => key === grant.key)
  if (present) return succeeded(present)
  const added = await addTo(client, draftId, grant)
  if (!added.ok) return added
  const committed = await client.mutate(DraftCommit, { draftId }, readChangedContract)
  return committed.ok ? added : committed
}

/** Takes all that a contract has of these grants off it, through a draft. Null: it has none of them. Safe to repeat, also at the same time. */
export async function removeContractGrants(
  client: PlatformClient,
  contractId: string,
  keys: string[]
): Promise<PlatformResult<ChangedContract | null>> {
  const draft = await openDraft(client, contractId)
  if (!draft.ok) return draft
  const { draftId, grants } = draft.value
  const present = grants.filter(({ key }) => keys.includes(key))
  if (present.length === 0) return succeeded(null)
  for (const { kind, gid } of present) {
    const removed =
      kind === 'discount'
        ? await client.mutate(DraftDiscountRemove, { draftId, discountId: gid }, () => null)
        : await client.mutate(DraftLineRemove, { draftId, lineId: gid }, () => null)
    if (!removed.ok) return removed
  }
  return client.mutate(DraftCommit, { draftId }, readChangedContract)
}

function addTo(
  client: PlatformClient,
  draftId: string,
  { key, label, gives }: NewContractGrant
): Promise<PlatformResult<FoundContractGrant>> {
  if (gives.kind === 'free_product') {
    const input = {
      ...{ productVariantId: client.gid('ProductVariant', gives.variantId), quantity: 1, currentPrice: '0' },
      customAttributes: [{ key: GRANT_ATTRIBUTE, value: key }]
    }
    return client.mutate(DraftLineAdd, { draftId, input }, (payload) => ({
      ...{ key, gid: payload.at('lineAdded').text('id'), kind: 'free_product', uses: null }
    }))
  }
  const common = { title: grantTitle(label, key), recurringCycleLimit: gives.orders }
  const read = (payload: Fields): FoundContractGrant => ({
    ...{ key, gid: payload.at('discountAdded').text('id'), kind: 'discount', uses: 0 }
  })
  if (gives.kind === 'free_shipping') {
    return client.mutate(GrantFreeShippingAdd, { draftId, input: common }, read)
  }
  const value =
    'percent' in gives
      ? { percentage: gives.percent }
      : {
          fixedAmount: {
            amount: Number(decimalOf(gives.amountMinor, gives.currency)),
            appliesOnEachItem: gives.isOfEachItem
          }
        }
  return client.mutate(GrantDiscountAdd, { draftId, input: { ...common, value, entitledLines: { all: true } } }, read)
}

async function openDraft(client: PlatformClient, contractId: string) {
  const id = client.gid('SubscriptionContract', contractId)
  const opened = await client.mutate(GrantDraft, { id }, (payload) => {
    const draft = payload.at('draft')
    return { draftId: draft.text('id'), page: readGrantsPage(draft) }
  })
  if (!opened.ok) return opened
  const { draftId, page } = opened.value
  const grants = await withPages(page, (after) =>
    client.query(DraftGrants, { id: draftId, ...after }, (data) => {
      const draft = data.maybeAt('subscriptionDraft')
      return draft && readGrantsPage(draft)
    })
  )
  return grants.ok ? succeeded({ draftId, grants: grants.value }) : grants
}

/** Where the pages before have ended. */
type Cursors = { afterDiscount: string | null; afterLine: string | null }
type GrantsPage = { grants: FoundContractGrant[]; after: Cursors; hasMore: boolean }

const FROM_THE_BEGINNING: Cursors = { afterDiscount: null, afterLine: null }

function readGrantsPage(owner: Fields): GrantsPage {
  const [discounts, lines] = [owner.at('discounts').at('pageInfo'), owner.at('lines').at('pageInfo')]
  return {
    grants: readGrants(owner),
    after: { afterDiscount: discounts.maybeText('endCursor'), afterLine: lines.maybeText('endCursor') },
    hasMore: discounts.flag('hasNextPage') || lines.flag('hasNextPage')
  }
}

async function withPages(
  first: GrantsPage,
  readPage: (after: Cursors) => Promise<PlatformResult<GrantsPage | null>>
): Promise<PlatformResult<FoundContractGrant[]>> {
  const grants = [...first.grants]
  for (let page: GrantsPage | null = first; page?.hasMore; ) {
    // The list that is at its end has no more after its last one. An empty list has no last one: the end of the page before stays.
    const next: PlatformResult<GrantsPage | null> = await readPage(page.after)
    if (!next.ok) return next
    const { afterDiscount, afterLine }: Cursors = page.after
    page = next.value && {
      ...next.value,
      after: {
        afterDiscount: next.value.after.afterDiscount ?? afterDiscount,
        afterLine: next.value.after.afterLine ?? afterLine
      }
    }
    grants.push(...(page?.grants ?? []))
  }
  return succeeded(grants)
}
