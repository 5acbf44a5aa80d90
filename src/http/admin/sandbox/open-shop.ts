import { Type } from 'typebox'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { text } from '../fields.ts'

const OpenedShop = Type.Object(
  {
    domain: Type.String({ description: "The shop's domain on the sandbox" }),
    url: Type.String({ description: 'Its storefront' }),
    admin_url: Type.String({ description: 'Where its people see their apps' })
  },
  {
    title: 'OpenedShop',
    description: 'A shop on the sandbox that has not installed the app.',
    examples: [
      {
        domain: 'dev.example',
        url: 'http://127.0.0.1:3001/dev.example/',
        admin_url: 'http://127.0.0.1:3001/dev.example/admin'
      }
    ]
  }
)

/** POST /sandbox/shops */
export function openShopRoute(admin: Surface, { sandbox }: AdminDeps): void {
  admin.post(
    '/sandbox/shops',
    {
      config: { allow: 'install' },
      schema: {
        operationId: 'openSandboxShop',
        summary: 'Open a shop',
        description:
          'Opens a shop on the sandbox that has not installed the app, as a development store is on the real platform. Installing the app there creates its store.',
        body: Type.Object({
          domain: text(253, 'a host name such as dev.example', { examples: ['dev.example'] }),
          name: text(200, undefined, { examples: ['Dev shop'] }),
          timezone: text(100, 'an IANA time zone such as Europe/Vienna', { examples: ['Europe/Vienna'] }),
          currency: text(3, 'an ISO 4217 code such as USD', { examples: ['EUR'] })
        }),
        response: { 201: OpenedShop }
      }
    },
    async (request, reply) => {
      const { domain } = await sandbox.openShop(request.body)
      const url = sandbox.urlOf(domain)
      return reply.code(201).send({ domain, url: `${url}/`, admin_url: `${url}/admin` })
    }
  )
}
