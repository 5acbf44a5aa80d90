import type { ShopOfApp } from './apps.ts'
import { SCRIPT_PATH, STYLE_PATH } from './files.ts'

const escaped = (text: string) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)

const documentOf = (title: string, head: string, body: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
${head}<link rel="stylesheet" href="${STYLE_PATH}">
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`

/** What the platform's own script is, and who may show the page in a frame. */
export type Embedding = { clientId: string; script: string; frameAncestors: string[] }

/** Shopify's script and admin, or those of the sandbox. `shopUrl` is the shop's address there. */
export function embeddingOf({ profile, shop, app: { clientId } }: ShopOfApp, shopUrl: string): Embedding {
  if (profile === 'shopify') {
    const script = 'https://cdn.shopify.com/shopifycloud/app-bridge.js'
    return { clientId, script, frameAncestors: [`https://${shop}`, 'https://admin.shopify.com'] }
  }
  return { clientId, script: `${shopUrl}/app-bridge.js`, frameAncestors: [new URL(shopUrl).origin] }
}

/** What the platform wants on a page in its admin, before every other script. */
export const platformScript = ({ clientId, script }: Pick<Embedding, 'clientId' | 'script'>): string =>
  `<meta name="shopify-api-key" content="${escaped(clientId)}">\n<script src="${escaped(script)}"></script>\n`

/**
 * The page in the platform's admin, whose script exchanges the session token. It is the one page that runs a script of somebody else,
 * which the platform demands, and that may be shown in a frame.
 */
export function embeddedPage({ clientId, script, frameAncestors }: Embedding): { html: string; policy: string } {
  const platform = new URL(script).origin
  const policy =
    `default-src 'none'; script-src 'self' ${platform}; connect-src 'self' ${platform}; style-src 'self'; img-src data:; ` +
    `base-uri 'none'; form-action 'none'; frame-ancestors ${frameAncestors.join(' ')}`
  const head = `${platformScript({ clientId, script })}<script src="${SCRIPT_PATH}" defer></script>
`
  const body = `<h1>Perennial</h1>
<p id="state" role="status">Connecting the shop…</p>
<dl id="facts" hidden></dl>
<ul id="missing" hidden></ul>
<p><a id="open" hidden>Open Perennial</a></p>
<noscript><p>This page needs JavaScript, to prove to Perennial which shop it is shown in.</p></noscript>`
  return { html: documentOf('Perennial', head, body), policy }
}

/** Pages that nobody may show in a frame, and that run no script. */
export const PLAIN_POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** A page with a sentence, for a person whom the platform has sent here. */
export const plainPage = (title: string, text: string): string =>
  documentOf(title, '', `<h1>${escaped(title)}</h1>\n<p>${escaped(text)}</p>`)
