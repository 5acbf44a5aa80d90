import { api, bodyOf } from '../../../shared/api/client.ts'
import { useKnownStore } from '../../../shared/api/stores.ts'

/** What the admin API does to a subscription. Fields that are left empty are not sent. */
export function useActions(id: string) {
  const { id: store } = useKnownStore()
  const params = { path: { store, id } }
  return {
    pause: (body: { duration?: number }) =>
      bodyOf(api.POST('/stores/{store}/subscriptions/{id}/pause', { params, body })),
    resume: (body: { next_billing_date?: string }) =>
      bodyOf(api.POST('/stores/{store}/subscriptions/{id}/resume', { params, body })),
    skip: () => bodyOf(api.POST('/stores/{store}/subscriptions/{id}/skip', { params, body: {} })),
    cancel: (body: { reason?: string; comment?: string }) =>
      bodyOf(api.POST('/stores/{store}/subscriptions/{id}/cancel', { params, body })),
    reactivate: () => bodyOf(api.POST('/stores/{store}/subscriptions/{id}/reactivate', { params, body: {} })),
    change: (body: { next_billing_date?: string; plan_id?: string; price?: string }) =>
      bodyOf(api.POST('/stores/{store}/subscriptions/{id}/change', { params, body })),
    gift: (body: { receiver: string }) => bodyOf(api.POST('/stores/{store}/subscriptions/{id}/gift', { params, body })),
    revokeGift: () => bodyOf(api.DELETE('/stores/{store}/subscriptions/{id}/gift', { params })),
    note: (body: { note: string }) => bodyOf(api.POST('/stores/{store}/subscriptions/{id}/notes', { params, body }))
  }
}
