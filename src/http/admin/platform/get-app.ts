import { Type } from 'typebox'
import { APP_PATHS } from '#platform'
import { OrNull } from '#resources'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'

const PlatformApp = Type.Object(
  {
    client_id: OrNull(
      Type.String({ description: 'The client id of your app on Shopify; null where none is configured' })
    ),
    sandbox_client_id: OrNull(Type.String({ description: 'The same on the sandbox; null while that is off' })),
    all_orders: Type.Boolean({ description: 'Whether shops are asked for orders older than 60 days' }),
    public_url: Type.String({ description: 'Where people and platforms reach the service' }),
    install_url: Type.String({ description: 'Where a person installs the app; a shop is added to it' })
  },
  {
    title: 'PlatformApp',
    description: 'The app as platforms know it.',
    examples: [
      {
        client_id: '0123456789abcdef0123456789abcdef',
        sandbox_client_id: null,
        all_orders: false,
        public_url: 'https://perennial.example.com',
        install_url: 'https://perennial.example.com/app/install?shop='
      }
    ]
  }
)

/** GET /platform/app */
export function getAppRoute(admin: Surface, { install }: AdminDeps): void {
  admin.get(
    '/platform/app',
    {
      config: { allow: 'view', forStaff: true },
      schema: {
        operationId: 'getPlatformApp',
        summary: 'Get the app',
        description: 'The app as platforms know it, without its secret.',
        response: { 200: PlatformApp }
      }
    },
    async () => {
      const { apps, allOrders, publicUrl } = install
      return {
        client_id: apps.shopify?.clientId ?? null,
        sandbox_client_id: apps.platform?.clientId ?? null,
        all_orders: allOrders,
        public_url: publicUrl(),
        install_url: `${publicUrl()}${APP_PATHS.install}?shop=`
      }
    }
  )
}
