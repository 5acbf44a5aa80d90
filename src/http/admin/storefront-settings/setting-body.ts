import { type Static, Type } from 'typebox'
import type { StorefrontSetting } from '#storefront-settings'

export const StorefrontSettingBody = Type.Object(
  {
    key: Type.String({ description: 'The key of the metafield of the shop, in the namespace `svc`' }),
    name: Type.String({ description: 'Its name' }),
    help: Type.String({ description: 'What it holds' }),
    value: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'The setting, as it is in the metafield'
    })
  },
  {
    title: 'StorefrontSetting',
    description: 'A setting of the storefront, which themes and functions read in a metafield of the shop.',
    examples: [
      {
        key: 'svc_agreement',
        name: 'Agreement',
        help: 'Whether the storefront asks customers to agree to the terms of a subscription before they buy it.',
        value: { agreement_enabled: 1 }
      }
    ]
  }
)

export function presentStorefrontSetting(
  { key, name, help }: StorefrontSetting,
  value: Record<string, unknown>
): Static<typeof StorefrontSettingBody> {
  return { key, name, help, value }
}
