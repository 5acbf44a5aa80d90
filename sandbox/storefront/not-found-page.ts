import type { Shop } from '../shop.ts'
import { html } from './html.ts'
import { htmlDocument } from './html-document.ts'

/** The page of an address that there is not: with a link to the shop, or to the list of shops where it names none. */
export function notFoundPage(shop: Shop | null, basePath: string): string {
  return htmlDocument({
    title: 'Page not found',
    stylesheet: shop && `${basePath}/storefront.css`,
    body: html`<main><h1>Page not found</h1>
<p>There is no page at this address.</p>
<p><a href="${basePath}/">${shop ? `Back to ${shop.name}` : 'All shops'}</a></p></main>`
  })
}

/** The page of an address whose first part is the domain of no shop here, as the link of an installation may be. */
export function noShopPage(domain: string): string {
  return htmlDocument({
    title: `No shop ${domain}`,
    stylesheet: null,
    body: html`<main><h1>The sandbox has no shop ${domain}</h1>
<p>Look at the domain in the address, or open a shop under it:</p>
<p><code>perennial sandbox open-shop --domain ${domain} --name ${domain} --timezone Europe/Vienna --currency EUR</code></p>
<p>Name, time zone and currency are yours to choose. Then open this address again.</p>
<p><a href="/">All shops</a></p></main>`
  })
}
