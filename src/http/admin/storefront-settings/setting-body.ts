import { type Static, Type } from 'typebox'
import { describeStorefrontSetting, type StorefrontSetting } from '#storefront-settings'
import { DescribedKeyBody } from '../described-key.ts'

export const StorefrontSettingBody = Type.Object(
  {
    key: Type.String({ description: 'The key of the metafield of the shop, in the namespace `svc`' }),
    name: Type.String({ description: 'Its name' }),
    help: Type.String({ description: 'What it holds' }),
    value: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'The setting, as it is in the metafield'
    }),
    fields: Type.Array(DescribedKeyBody, { description: 'What can be entered' })
  },
  {
    title: 'StorefrontSetting',
    description: 'A setting of the storefront, which themes and functions read in a metafield of the shop.',
    examples: [
      {
        key: 'svc_agreement',
        name: 'Agreement',
        help: 'Whether the storefront asks customers to agree to the terms of a subscription before they buy it.',
        value: { agreement_enabled: 1 },
        fields: [
          {
            key: 'agreement_enabled',
            accepts: '0 or 1 (or false or true)',
            meaning: 'It asks',
            default: null,
            schema: { type: 'integer', enum: [0, 1] }
          }
        ]
      }
    ]
  }
)

export function presentStorefrontSetting(
  setting: StorefrontSetting,
  value: Record<string, unknown>
): Static<typeof StorefrontSettingBody> {
  const { key, name, help } = setting
  return { key, name, help, value, fields: describeStorefrontSetting(setting) }
}
