// Clients that sync, for bench/export-pages.ts, in a process of their own: each pulls an endpoint page by page, from the start again after
// the end, until a message comes. Then it says how many pages there were. Argument: what to read, as JSON.
import { once } from 'node:events'
import { Agent } from 'undici'
import { endpoints } from '#exports'
import { queryAfter, type Reader, readExportPage } from './export-page.ts'

export type ClientsOptions = Omit<Reader, 'agent'> & { origin: string; clients: number }

const { origin, key, clients, store } = JSON.parse(process.argv[2]!) as ClientsOptions
const reader = { agent: new Agent({ connections: clients }), store, key }
let isOver = false
let pages = 0
const stopped = once(process, 'message').then(() => {
  isOver = true
})
await Promise.all(
  Array.from({ length: clients }, async (_, at) => {
    const { name } = endpoints[at % endpoints.length]!
    let query = {}
    while (!isOver) {
      query = queryAfter(query, (await readExportPage(reader, { origin, name, query })).end)
      pages++
    }
  })
)
await stopped
process.send!(pages)
await reader.agent.close()
process.disconnect!()
