import { Type } from 'typebox'
import { invalidField } from '#kit/refusal'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { platformNumber, text } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { play } from './sandbox-store.ts'

const TagsSet = Type.Object(
  {
    customer: Type.String({ description: "The platform's number of the customer" }),
    added: Type.Array(Type.String(), { description: 'The tags that they are to have' }),
    removed: Type.Array(Type.String(), { description: 'The tags that they are not to have' })
  },
  {
    title: 'SandboxTags',
    description: 'Changed tags of a customer.',
    examples: [{ customer: '7064055069370', added: ['wholesale'], removed: [] }]
  }
)

const tags = (meaning: string) =>
  Type.Optional(
    Type.Array(text(255), {
      maxItems: 50,
      description: 'a list of up to 50 tags',
      meaning,
      examples: [['wholesale']]
    })
  )

/** POST /stores/{store}/sandbox/tags */
export function setTagsRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/sandbox/tags',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'setSandboxTags',
        summary: 'Change the tags of a customer',
        description: 'The staff, or another app, adds tags to a customer or takes some away.',
        params: StoreParams,
        body: Type.Object({
          customer: platformNumber('the customer'),
          add: tags('Tags to add'),
          remove: tags('Tags to take away')
        }),
        response: { 200: TagsSet }
      }
    },
    async (request) => {
      const { customer, add = [], remove = [] } = request.body
      if (add.length + remove.length === 0) throw invalidField('add', 'must have a tag, or else `remove`')
      await play(deps, request, ({ storeId }) => deps.sandbox.setTags(storeId, { customerId: customer, add, remove }))
      return { customer, added: add, removed: remove }
    }
  )
}
