import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../shared/api/client.ts'
import type { components } from '../../shared/api/schema.ts'

export type PrivacyRequest = components['schemas']['PrivacyRequest']
export type Topic = 'customers/data_request' | 'customers/redact'

const REFRESH_MS = 10_000
const isOver = ({ status }: PrivacyRequest) => status === 'done' || status === 'refused'

export const requestsQuery = (store: string, before: string | undefined) =>
  queryOptions({
    queryKey: ['privacy', store, before],
    queryFn: ({ signal }) => {
      const query = before === undefined ? {} : { before }
      return bodyOf(api.GET('/stores/{store}/privacy', { params: { path: { store }, query }, signal }))
    },
    refetchInterval: ({ state }) => (state.data?.data.some((one) => !isOver(one)) ? REFRESH_MS : false)
  })

export const createRequest = (
  store: string,
  body: { topic: Topic; customer?: string; phone?: string; end_subscriptions?: boolean }
) => bodyOf(api.POST('/stores/{store}/privacy', { params: { path: { store } }, body }))

/** Fetches the file of a data request, which makes the request done, and gives it to the browser to keep. */
export async function downloadExport(store: string, id: string): Promise<void> {
  const params = { path: { store, privacy_request: id } }
  const held = await bodyOf(api.GET('/stores/{store}/privacy/{privacy_request}/export', { params }))
  const url = URL.createObjectURL(new Blob([JSON.stringify(held, null, 2)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${id}.json`
  link.click()
  URL.revokeObjectURL(url)
}
