import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../shared/api/client.ts'
import { ApiError } from '../../shared/api/errors.ts'
import type { components } from '../../shared/api/schema.ts'
import { type FileFormat, putFile } from './put-file.ts'

export type Import = components['schemas']['Import']
export type RefusedRow = components['schemas']['RefusedRow']

export const isOver = ({ status }: Pick<Import, 'status'>) => ['done', 'failed', 'cancelled'].includes(status)

const REFRESH_MS = 2_000

/** The imports, read again and again while one of them is under way. */
export const importsQuery = (store: string) =>
  queryOptions({
    queryKey: ['imports', store],
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET('/stores/{store}/imports', { params: { path: { store } }, signal }))).data,
    refetchInterval: ({ state }) => (state.data?.some((one) => !isOver(one)) ? REFRESH_MS : false)
  })

/** One of them, until what it has created is on the platform too. */
export const importQuery = (store: string, id: string) =>
  queryOptions({
    queryKey: ['import', store, id],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/stores/{store}/imports/{import}', { params: { path: { store, import: id } }, signal })),
    refetchInterval: ({ state: { data } }) =>
      data && (!isOver(data) || (data.pushed ?? 0) < data.created) ? REFRESH_MS : false
  })

export type NewImport = {
  source: 'csv' | 'ndjson' | 'platform'
  mode: 'live' | 'paused'
  paused_until?: string
  allow_duplicates?: boolean
}

export const startImport = (store: string, body: NewImport) =>
  bodyOf(api.POST('/stores/{store}/imports', { params: { path: { store } }, body }))

export const cancelImport = (store: string, id: string) =>
  bodyOf(api.POST('/stores/{store}/imports/{import}/cancel', { params: { path: { store, import: id } }, body: {} }))

/** Sends the file of an import. */
export const sendFile = (store: string, { id, source }: Pick<Import, 'id' | 'source'>, file: File) =>
  putFile(`/stores/${store}/imports/${id}/rows`, source === 'ndjson' ? 'ndjson' : 'csv', file)

/** Starts an import of a file and sends it. Where no row of it can be read the import ends: the corrected file is a new one. */
export async function importFile(store: string, body: NewImport, file: File): Promise<Import> {
  const started = await startImport(store, body)
  try {
    await sendFile(store, started, file)
  } catch (err) {
    if (err instanceof ApiError && err.status === 400) await endUnread(store, started.id)
    throw err
  }
  return started
}

async function endUnread(store: string, id: string): Promise<void> {
  const params = { path: { store, import: id } }
  const { status, total } = await bodyOf(api.GET('/stores/{store}/imports/{import}', { params }))
  if (status === 'receiving' && total === 0) await cancelImport(store, id)
}

export const SHOWN_ROWS = 50

/** The first of the refused rows; the report may be long. */
export const refusedQuery = (store: string, { id, refused }: Import) =>
  queryOptions({
    queryKey: ['refused', store, id, refused],
    queryFn: async ({ signal }): Promise<RefusedRow[]> => {
      const params = { path: { store, import: id }, query: { format: 'ndjson' as const } }
      const { data, error, response } = await api.GET('/stores/{store}/imports/{import}/refused', {
        params,
        signal,
        parseAs: 'stream'
      })
      if (!response.ok || !data) throw new ApiError(response, error)
      const lines = await firstLines(data as unknown as ReadableStream<Uint8Array<ArrayBuffer>>, SHOWN_ROWS)
      return lines.map((line) => JSON.parse(line))
    }
  })

async function firstLines(stream: ReadableStream<Uint8Array<ArrayBuffer>>, count: number): Promise<string[]> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const { value, done } = await reader.read()
    text += value ?? ''
    const lines = text.split('\n')
    if (done || lines.length > count) {
      await reader.cancel()
      return lines.slice(0, count).filter((line) => line !== '')
    }
  }
}

export const refusedUrl = (store: string, id: string, format: FileFormat) =>
  `/stores/${store}/imports/${id}/refused?format=${format}`
