import type { Page } from 'playwright-core'
import { createOffer, type OfferInput } from '#churn'
import type { startService } from './service-builder.ts'

export type Service = Awaited<ReturnType<typeof startService>>

/** A store with a member of a monthly plan of 29.00 USD, and what a page of theirs needs. */
export async function aMember(service: Service) {
  const store = await service.aStore()
  const { customer, contract_id: contractId } = await store.member('ada@example.com')
  await service.deps.settle(store.storeId)
  return {
    service,
    store,
    contractId,
    shop: `${service.urls.sandbox}/${store.domain}`,
    customer: customer.id,
    /** What the store makes of a contract that is cancelled for one of these reasons. */
    anOffer: (offer: Pick<OfferInput, 'name' | 'type' | 'rules'> & Partial<OfferInput>) =>
      service.db.inStore(store.storeId, (ctx) =>
        createOffer(ctx, {
          description: null,
          reasons: ['too_expensive'],
          target: null,
          isOfEachItem: false,
          minMemberDays: 0,
          minDaysSinceOffer: 0,
          isForTrials: true,
          isOn: true,
          ...offer
        })
      )
  }
}

/** The status of a member's contract, and why it was cancelled; read past every node that may be down. */
export async function statusOf({ service, store }: Pick<Awaited<ReturnType<typeof aMember>>, 'service' | 'store'>) {
  const { data } = (await service.get('/subscriptions', store.key)).body
  return [data[0].status, data[0].cancel_reason] as [string, string | null]
}

/** What a customer sees of the element that cancels. */
export function cancelling(page: Page) {
  const dialog = page.getByRole('dialog')
  return {
    dialog,
    button: page.getByRole('button', { name: /^Cancel (this )?membership$/ }),
    anyway: dialog.getByRole('button', { name: 'Cancel anyway' }),
    next: dialog.getByRole('button', { name: 'Continue' }),
    reason: (title: string) => dialog.getByRole('radio', { name: title }),
    reasons: dialog.getByRole('radiogroup'),
    heading: (name: string) => dialog.getByRole('heading', { name }),
    outcome: (text: string) => page.getByRole('paragraph').filter({ hasText: text })
  }
}
