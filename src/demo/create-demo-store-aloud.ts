import type { Database } from '#kit/postgres'
import { listStores } from '#stores'
import { createDemoStore, DEMO_DOMAIN } from './create-demo-store.ts'

/** Creates the demo store on the first start, and prints the progress. */
export async function createDemoStoreAloud(
  deps: Parameters<typeof createDemoStore>[0],
  say: (line: string) => void
): Promise<string | null> {
  const live = process.stdout.isTTY
  let printed = -1
  return createDemoStore(deps, ({ done, total, at }) => {
    const percent = Math.floor((done / total) * 100)
    if (percent === printed || (!live && percent % 20 !== 0)) return
    printed = percent
    const line = `Creating a year of history in the demo store: ${String(percent).padStart(3)} %  ${at.toString().slice(0, 10)}`
    if (live) process.stdout.write(`\r${line}${percent === 100 ? '\n' : ''}`)
    else say(line)
  })
}

/** The sandbox shop that a start points to: that of the demo, if there is one. */
export async function storeToShow(db: Database): Promise<string> {
  const shops = (await listStores(db)).filter(({ sandbox }) => sandbox).map(({ domain }) => domain)
  return shops.includes(DEMO_DOMAIN) ? DEMO_DOMAIN : (shops[0] ?? '<domain of a sandbox store>')
}
