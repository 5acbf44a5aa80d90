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
