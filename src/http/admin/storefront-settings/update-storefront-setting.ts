import { Type } from 'typebox'
import { storefrontSettingOf, updateStorefrontSetting } from '#storefront-settings'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { text } from '../fields.ts'
import { StoreParams, storeOf } from '../store.ts'
import { presentStorefrontSetting, StorefrontSettingBody } from './setting-body.ts'

/** PATCH /stores/{store}/storefront-settings/{setting} */
export function updateStorefrontSettingRoute(admin: Surface, { canMail }: Pick<AdminDeps, 'canMail'>): void {
  admin.patch(
    '/stores/:store/storefront-settings/:setting',
    {
      config: { allow: 'manage' },
      schema: {
        operationId: 'updateStorefrontSetting',
        summary: 'Change a setting of the storefront',
        description:
          'Changes the fields that are given; the others stay, and null is the initial value again. Flags are accepted as 0 or 1 and as true or false. The metafield of the shop follows in the background. Returns the whole setting.',
        params: Type.Object({
          ...StoreParams.properties,
          setting: text(64, 'the key of a setting', { meaning: 'Which setting', examples: ['svc_agreement'] })
        }),
        body: Type.Object({
          value: Type.Unsafe<Record<string, unknown>>({
            type: 'object',
            additionalProperties: true,
            description: 'an object with the fields to change',
            examples: [{ agreement_enabled: 1 }]
          })
        }),
        response: { 200: StorefrontSettingBody }
      }
    },
    async (request) => {
      const means = { canMail: await canMail(storeOf(request).storeId) }
      return request.inStore(async (ctx) => {
        const { setting: key } = request.params
        const value = await updateStorefrontSetting(ctx, key, request.body.value, means)
        return presentStorefrontSetting(storefrontSettingOf(key), value)
      })
    }
  )
}
