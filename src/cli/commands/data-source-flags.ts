import { badUsage } from '../command-error.ts'
import { type DataSource, dataSource, shopAddress } from '../data/data-source.ts'
import { serviceUrl } from '../find-server.ts'
import { needed, optional, secret, text } from '../flags.ts'

/** How a command finds the Data API of a shop. */
export const dataSourceFlags = {
  shop: needed('--shop <address>', text('the domain or the address of the shop, such as https://corner-shop.example')),
  key: needed('--key <key>', secret('an API key with the scope read:data')),
  proxySecret: optional(
    '--proxy-secret <secret>',
    secret(
      "the proxy secret of the store, to ask the service itself (PERENNIAL_URL) without the platform's ten seconds"
    )
  )
}

type Given = { shop: string; key: string; proxySecret?: string | undefined }

/** The source that these flags, or the fields of a tap's config, describe. */
export function sourceOf(
  { shop, key, proxySecret }: Given,
  { env, say }: { env: NodeJS.ProcessEnv; say: (line: string) => void }
): DataSource {
  const address = shopAddress(shop)
  if (proxySecret === undefined) return dataSource({ shop: address, key, say })
  if (address.pathname !== '/') throw badUsage('with a proxy secret the shop must be its domain, which is signed')
  return dataSource({ shop: address, key, direct: { service: serviceUrl(env), secret: proxySecret }, say })
}
