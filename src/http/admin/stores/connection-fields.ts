import { Type } from 'typebox'
import { text } from '../fields.ts'

/** How a store reaches its platform, in a request. */
export const connectionFields = () => ({
  platform_url: Type.Optional(
    text(2000, "the address of the store's platform", { examples: ['https://books.example.com'] })
  ),
  access_token: Type.Optional(text(500, 'the access token of the Admin API', { examples: ['shpat_0123456789'] })),
  app_secret: Type.Optional(
    text(500, "the app's secret", { meaning: "Checks the platform's webhooks", examples: ['app-secret'] })
  ),
  proxy_secret: Type.Optional(
    text(500, 'the secret of the app proxy', {
      meaning: "Checks requests of the storefront; the app's secret by default",
      examples: ['proxy-secret']
    })
  )
})
