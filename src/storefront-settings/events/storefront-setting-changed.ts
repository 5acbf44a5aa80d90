import { defineFact } from '#kit/outbox'

/** A setting of the storefront has another value. */
export const storefrontSettingChanged = defineFact(
  'storefront_setting.changed',
  ({ storeId, key }: { storeId: number; key: string }) => ({
    orderingKey: `storefront_settings:${storeId}`,
    data: { key },
    refs: {}
  })
)
