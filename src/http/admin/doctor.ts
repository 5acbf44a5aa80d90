import { Type } from 'typebox'
import { requireStore } from '#stores'
import type { HttpDeps } from '../shared/deps.ts'
import type { Surface } from '../shared/surface.ts'
import { text } from './fields.ts'

/** The auditor: reads what must hold and tells where it does not. */
export function registerDoctor(admin: Surface, { db, doctor }: Pick<HttpDeps, 'db' | 'doctor'>): void {
  admin.post(
    '/doctor',
    {
      schema: {
        body: Type.Object({ store: Type.Optional(text(253, 'a store id or domain')) }),
        response: {
          200: Type.Object({
            checked: Type.Record(Type.String(), Type.Integer()),
            findings: Type.Array(Type.Unknown()),
            warnings: Type.Array(Type.Unknown())
          })
        }
      }
    },
    async (request) => {
      const { store } = request.body
      return doctor(store === undefined ? null : (await requireStore(db, store)).storeId)
    }
  )
}
