import { Type } from 'typebox'
import { invalidField } from '#kit/refusal'
import type { HttpDeps } from '../shared/deps.ts'
import type { Surface } from '../shared/surface.ts'
import { platformNumber, StoreParams, text } from './fields.ts'
import { sandboxStore } from './sandbox.ts'

const share = () =>
  Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'a share of the messages from 0 to 1' }))

/** What befalls a sandbox shop: customers and cards that go, an owner who changes things, messages that get lost. */
export function registerSandboxFaults(
  admin: Surface,
  { db, sandbox, settle }: Pick<HttpDeps, 'db' | 'sandbox' | 'settle'>
): void {
  const play = async <T>(reference: string, act: (storeId: number) => Promise<T>): Promise<T> => {
    const { storeId } = await sandboxStore(db, reference)
    const done = await act(storeId)
    await settle(storeId)
    return done
  }

  admin.post(
    '/stores/:store/sandbox/deletions',
    {
      schema: {
        params: StoreParams,
        body: Type.Object({ customer: platformNumber('the customer') }),
        response: { 200: Type.Object({ deleted: Type.String() }) }
      }
    },
    async (request) => {
      const { customer } = request.body
      const { id } = await play(request.params.store, (storeId) => sandbox.deleteCustomer(storeId, customer))
      return { deleted: id }
    }
  )

  admin.post(
    '/stores/:store/sandbox/merges',
    {
      schema: {
        params: StoreParams,
        body: Type.Object({
          customer: platformNumber('the customer who goes'),
          into: platformNumber('the customer who stays')
        }),
        response: { 200: Type.Object({ deleted: Type.String(), kept: Type.String() }) }
      }
    },
    async (request) => {
      const { customer, into } = request.body
      const { deletedId, keptId } = await play(request.params.store, (storeId) =>
        sandbox.mergeCustomers(storeId, { customerId: customer, intoId: into })
      )
      return { deleted: deletedId, kept: keptId }
    }
  )

  admin.post(
    '/stores/:store/sandbox/revocations',
    {
      schema: {
        params: StoreParams,
        body: Type.Object({ customer: platformNumber('the customer') }),
        response: { 200: Type.Object({ revoked: Type.Integer() }) }
      }
    },
    async (request) => play(request.params.store, (storeId) => sandbox.revokeCard(storeId, request.body.customer))
  )

  admin.post(
    '/stores/:store/sandbox/shop',
    {
      schema: {
        params: StoreParams,
        body: Type.Object({
          name: Type.Optional(text(200)),
          timezone: Type.Optional(text(100, 'an IANA time zone such as Europe/Vienna'))
        }),
        response: { 200: Type.Object({ name: Type.Optional(Type.String()), timezone: Type.Optional(Type.String()) }) }
      }
    },
    async (request) => {
      await play(request.params.store, (storeId) => sandbox.changeShop(storeId, request.body))
      return request.body
    }
  )

  admin.post(
    '/stores/:store/sandbox/uninstalls',
    { schema: { params: StoreParams, response: { 200: Type.Object({ uninstalled: Type.Boolean() }) } } },
    async (request) => {
      await play(request.params.store, (storeId) => sandbox.uninstall(storeId))
      return { uninstalled: true }
    }
  )

  admin.post(
    '/stores/:store/sandbox/webhook-faults',
    {
      schema: {
        params: StoreParams,
        body: Type.Object({
          off: Type.Optional(Type.Boolean({ description: 'true or false' })),
          drop: share(),
          duplicate: share(),
          late: share(),
          delay_hours: Type.Optional(
            Type.Number({ minimum: 0, maximum: 720, description: 'a number of hours from 0 to 720' })
          ),
          shuffle: Type.Optional(Type.Boolean({ description: 'true or false' })),
          seed: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31, description: 'a whole number' }))
        }),
        response: { 200: Type.Object({ faulty: Type.Boolean() }) }
      }
    },
    async (request) => {
      const { off = false, delay_hours: delayHours, ...rest } = request.body
      const { storeId } = await sandboxStore(db, request.params.store)
      const faults = { ...rest, ...(delayHours === undefined ? {} : { delayHours }) }
      if (Object.keys(request.body).length === 0)
        throw invalidField('The body', 'must hold off, or what is to go wrong')
      if (off && Object.keys(faults).length > 0) throw invalidField('off', 'takes true only where nothing else is set')
      await sandbox.setWebhookFaults(storeId, off ? null : faults)
      const { drop = 0, duplicate = 0, late = 0, shuffle = false } = rest
      return { faulty: drop > 0 || duplicate > 0 || late > 0 || shuffle }
    }
  )
}
