import type { Connector, PlatformFailure, PlatformResult } from '#platform'
import type { Fate } from './loyalty-steps.ts'

const DONE: PlatformResult<null> = { ok: true, value: null }
const LOST: PlatformFailure = { kind: 'unavailable', message: 'The answer was lost', outcomeUnknown: true }
const REFUSED: PlatformFailure = { kind: 'rejected', message: 'The platform takes no such code' }
const GONE: PlatformFailure = { kind: 'rejected', message: 'There is no such discount' }

/** The discounts of a platform in memory, as far as coupons ask for them. `fate`: what becomes of the next ones that are made. */
export function discountsInMemory() {
  const codes = new Map<string, { id: string; uses: number; isOn: boolean }>()
  const findById = (id: string) => [...codes].find(([, one]) => one.id === id)
  let last = 0
  const platform = {
    fate: 'made' as Fate,
    codes,
    /** Somebody deletes it by hand, or the service does. Returns whether it was there. */
    remove: (id: string) => codes.delete(findById(id)?.[0] ?? ''),
    use(code: string) {
      codes.get(code)!.uses++
    },
    connector: {
      discounts: {
        async createCoupon({ code }: { code: string }) {
          const { fate } = platform
          if (fate === 'refused') return { ok: false, failure: REFUSED }
          if (codes.has(code)) return { ok: false, failure: { kind: 'rejected', code: 'taken', message: 'Taken' } }
          codes.set(code, { id: `${++last}`, uses: 0, isOn: true })
          return fate === 'lost' ? { ok: false, failure: LOST } : { ok: true, value: { id: `${last}` } }
        },
        findByCode: async (code: string) => ({ ok: true, value: codes.get(code) ?? null }),
        findById: async (id: string) => ({ ok: true, value: findById(id)?.[1] ?? null }),
        async deactivate(id: string) {
          const found = findById(id)
          if (found) found[1].isOn = false
          return found ? DONE : { ok: false, failure: GONE }
        },
        changeAmount: async (id: string) => (findById(id) ? DONE : { ok: false, failure: GONE }),
        delete: async (id: string) => (platform.remove(id) ? DONE : { ok: false, failure: GONE })
      },
      products: {
        findLowestPrices: async (ids: string[]) => ({
          ok: true,
          value: new Map(ids.map((id) => [id, { id, title: 'A mug', lowestMinor: 1500 }]))
        })
      }
    } as unknown as Connector
  }
  return platform
}
